import { request, type Schema } from './api/client.ts';
import { connection } from './api/connection.ts';
import type { PasskeyProof } from './api/passkeys.ts';
import { type Answer, answerOf } from './api/problem.ts';
import { Shared, useShared } from './shared.ts';
import { workspaceNames } from './workspace-names.ts';

type SessionAnswer = Pick<Schema<'Session'>, 'user' | 'workspaces'>;
export type Workspace = SessionAnswer['workspaces'][number];

/** `workspaces`: where this session may act. `waiting`: those to join by invitation link. */
interface Person extends SessionAnswer {
  readonly waiting: readonly Workspace[];
}

type Proof =
  | { readonly pairing_code: string }
  | { readonly passkey: NonNullable<PasskeyProof> }
  | { readonly email: string; readonly password: string };

type State =
  | { readonly kind: 'unknown' }
  /** `isOver`: ended without a sign-out here. */
  | { readonly kind: 'out'; readonly isOver: boolean }
  | { readonly kind: 'in'; readonly person: Person };

/** The stored key of the user's email, so that no start waits for the server. */
const HINT = 'signed-in';

/** Returns the stored email of the signed-in user; null: nobody. */
export function emailHere(): string | null {
  return localStorage.getItem(HINT);
}

/** The stored keys of the last workspace, and of the page left for the provider. */
export const LAST_WORKSPACE = 'workspace';
export const LEFT_FOR_PROVIDER = 'left-for-provider';

/** Holds who is signed in. The session's cookie is hidden from scripts. */
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
    // Another tab changed it: nothing of another user may stay.
    addEventListener('storage', ({ key, newValue }) => {
      if (key !== HINT) return;
      // Only that tab writes the session: it may have signed another user in.
      if (newValue !== null) location.reload();
      else if (this.state.value.kind !== 'out') this.state.value = { kind: 'out', isOver: true };
    });
  }

  /** Asks the server about the session, if any. Without an answer, the state stays. */
  async check(): Promise<void> {
    if (this.state.value.kind === 'out') return;
    const answer = await answerOf<SessionAnswer>(request('get', '/v1/session', {}));
    connection.learn(answer);
    if (answer.ok) this.#began(answer.data);
    else if (answer.problem.kind === 'signed-out') this.ended();
  }

  /** `entering`: called after success, before the app is shown. */
  async signIn(proof: Proof, entering = (): void => {}): Promise<Answer<unknown>> {
    return this.#take(request('post', '/v1/session', { body: { ...proof, cookie: true } }), entering);
  }

  /** Adds an invitation's workspace for the same person. */
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

  /** Ends the session here, since the server no longer knows it. */
  ended(): void {
    // Requests pending at the sign-out end here, too.
    if (this.state.value.kind === 'out') return;
    this.#leave({ isOver: true });
  }

  async #take(coming: Promise<Response>, entering = (): void => {}): Promise<Answer<unknown>> {
    const answer = await answerOf<SessionAnswer>(coming);
    connection.learn(answer);
    if (answer.ok) {
      // Another person was signed in here.
      if (![null, answer.data.user.email].includes(emailHere())) this.#leave({ isOver: false });
      entering();
      this.#began(answer.data);
    }
    return answer;
  }

  /** Leaves the session. `shell/after-start.ts` forgets the rest. */
  #leave({ isOver }: { readonly isOver: boolean }): void {
    // First, so that late answers are kept for nobody.
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

/** Returns who is signed in; null: nobody, or not yet known. */
export function usePerson(): Person | null {
  const state = useShared(session.state);
  return state.kind === 'in' ? state.person : null;
}

/** Returns the workspaces of which the user is owner or admin. */
export function useRunWorkspaces(): readonly Workspace[] {
  return usePerson()?.workspaces.filter(({ role }) => role !== 'member') ?? [];
}

/** Returns the user's id as in `person_ids`; null: not yet known. */
export function useOwnId(): string | null {
  return usePerson()?.user.id ?? null;
}

/** The provider's result: a code, or why there is none. */
export type FromProvider =
  | { readonly kind: 'provided'; readonly code: string; readonly confirms: boolean }
  | { readonly kind: 'failed'; readonly why: string };

/** A sign-in link: `offered` until clicked, `used` until the account was seen. */
type Pairing = { readonly kind: 'offered'; readonly code: string } | { readonly kind: 'used' } | FromProvider;

export const pairing = new Shared<Pairing | null>(null);

/**
 * Takes a pairing link's code (`/#pair=CODE`) out of address bar, history and screenshots. Keeps it until a click:
 * foreign links must not sign in by themselves.
 */
export function takePairingCode(): void {
  const taken = takenFrom(location.hash);
  if (taken === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  pairing.value = taken;
}

function takenFrom(hash: string): Pairing | null {
  const code = codeIn(hash);
  // The server takes such a code only from the browser that began the sign-in.
  if (code?.startsWith('oidc-')) return { kind: 'provided', code, confirms: false };
  if (code !== null) return { kind: 'offered', code };
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const [proof, why] = [parts.get('confirm'), parts.get('sign-in')];
  if (proof !== null) return { kind: 'provided', code: proof, confirms: true };
  return why === null ? null : { kind: 'failed', why };
}

/** Forgets a seen or unwanted link. */
export function dismissPairing(): void {
  pairing.value = null;
}

/** Returns the code in a fragment; null: none. */
function codeIn(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, '')).get('pair') || null;
}
