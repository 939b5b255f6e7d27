import { request, type Schema } from './api/client.ts';
import { connection } from './api/connection.ts';
import type { PasskeyProof } from './api/passkeys.ts';
import { type Answer, answerOf } from './api/problem.ts';
import { Shared, useShared } from './shared.ts';
import { workspaceNames } from './workspace-names.ts';

type SessionAnswer = Pick<Schema<'Session'>, 'user' | 'workspaces'>;
export type Workspace = SessionAnswer['workspaces'][number];

/** `workspaces`: where this session may act. `waiting`: where they belong as well, until they open an invitation. */
export interface Person extends SessionAnswer {
  readonly waiting: readonly Workspace[];
}

/** What a user signs in with. */
export type Proof =
  | { readonly pairing_code: string }
  | { readonly passkey: NonNullable<PasskeyProof> }
  | { readonly email: string; readonly password: string };

type State =
  | { readonly kind: 'unknown' }
  /** `isOver`: they have not signed out here themselves. */
  | { readonly kind: 'out'; readonly isOver: boolean }
  | { readonly kind: 'in'; readonly person: Person };

/** Kept by the browser: the email address of who is signed in, so that no start has to wait for the server to say so. */
const HINT = 'signed-in';

/** Who is signed in here, as far as this browser knows without the server; null: no user. */
export function emailHere(): string | null {
  return localStorage.getItem(HINT);
}

/** Under these names the browser keeps where this person was last: a workspace, and an address before they went to the provider. */
export const LAST_WORKSPACE = 'workspace';
export const LEFT_FOR_PROVIDER = 'left-for-provider';

/** Who is signed in. The session itself is a cookie that no script sees. */
class Session {
  readonly state = new Shared<State>(
    localStorage.getItem(HINT) === null ? { kind: 'out', isOver: false } : { kind: 'unknown' },
  );

  constructor() {
    this.state.listen(() => {
      const { value } = this.state;
      if (value.kind === 'out') workspaceNames.value = new Map();
      if (value.kind === 'in') {
        workspaceNames.value = new Map(value.person.workspaces.map(({ slug, name }) => [slug, name]));
      }
    });
    // Another tab has changed it: nothing that another user was shown is to stay here.
    addEventListener('storage', ({ key, newValue }) => {
      if (key !== HINT) return;
      // Whose session it is now, if any, is written by that tab alone: it may have signed another user in already.
      if (newValue !== null) location.reload();
      else if (this.state.value.kind !== 'out') this.state.value = { kind: 'out', isOver: true };
    });
  }

  /** Asks the server, unless no user is signed in here. While it cannot be reached nothing is known. */
  async check(): Promise<void> {
    if (this.state.value.kind === 'out') return;
    const answer = await answerOf<SessionAnswer>(request('get', '/v1/session', {}));
    connection.learn(answer);
    if (answer.ok) this.#began(answer.data);
    else if (answer.problem.kind === 'signed-out') this.ended();
  }

  /** `entering`: called where it is good, before the app is shown. */
  async signIn(proof: Proof, entering = (): void => {}): Promise<Answer<unknown>> {
    return this.#take(request('post', '/v1/session', { body: { ...proof, cookie: true } }), entering);
  }

  /** Adds what an invitation of the same person is for. */
  async redeem(pairing_code: string): Promise<Answer<unknown>> {
    return this.#take(request('post', '/v1/session/vouchers', { body: { pairing_code } }));
  }

  async signOut(): Promise<Answer<unknown>> {
    const answer = await answerOf<unknown>(request('delete', '/v1/session', {}));
    connection.learn(answer);
    if (answer.ok || answer.problem.kind === 'signed-out') {
      this.#leave({ isOver: false });
    }
    return answer;
  }

  /** The server knows the session no longer. */
  ended(): void {
    // Whatever was still on its way when they signed out says the same.
    if (this.state.value.kind === 'out') return;
    this.#leave({ isOver: true });
  }

  async #take(coming: Promise<Response>, entering = (): void => {}): Promise<Answer<unknown>> {
    const answer = await answerOf<SessionAnswer>(coming);
    connection.learn(answer);
    if (answer.ok) {
      // Another person was signed in here until now.
      if (![null, answer.data.user.email].includes(emailHere())) this.#leave({ isOver: false });
      entering();
      this.#began(answer.data);
    }
    return answer;
  }

  /** However the session has ended. `shell/ended-session.ts` forgets all else. */
  #leave({ isOver }: { readonly isOver: boolean }): void {
    // First: what comes late is kept for no user then.
    localStorage.removeItem(HINT);
    this.state.value = { kind: 'out', isOver };
  }

  #began({ user, workspaces }: SessionAnswer): void {
    localStorage.setItem(HINT, user.email);
    const inState = (wanted: Workspace['state']) => workspaces.filter(({ state }) => state === wanted);
    this.state.value = { kind: 'in', person: { user, workspaces: inState('active'), waiting: inState('waiting') } };
  }
}

export const session = new Session();

/** Who is signed in; null: no user, or it is not known yet. */
export function usePerson(): Person | null {
  const state = useShared(session.state);
  return state.kind === 'in' ? state.person : null;
}

/** The workspaces that they run, as owner or admin. */
export function useRunWorkspaces(): readonly Workspace[] {
  return usePerson()?.workspaces.filter(({ role }) => role !== 'member') ?? [];
}
