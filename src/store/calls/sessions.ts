import type { ApiSchema } from '../../contract/api-types.ts';
import type { Role } from '../../push.ts';
import { call, change } from '../call.ts';
import type { Refusal } from '../refusal.ts';

/** A user, and where their session may act. `id`: internal, hidden. `waiting`: workspaces not vouched for. */
export interface Identity {
  readonly user: { readonly id: number; readonly email: string; readonly name: string };
  readonly memberships: readonly Membership[];
  readonly waiting: readonly Omit<Membership, 'workspaceId' | 'waitingFor'>[];
}
/** `role`: the session's. `waitingFor`: the person's own, if higher; else null. */
export interface Membership
  extends Pick<ApiSchema<'Session'>['workspaces'][number], 'slug' | 'name' | 'status' | 'role'> {
  readonly workspaceId: number;
  readonly waitingFor: Role | null;
}
export interface SignedIn extends Identity {
  readonly expires_at: string;
}
export interface NewSession {
  /** SHA-256, hex; the token never comes here. */
  readonly tokenHash: string;
  readonly userAgent?: string;
  /** Whether a browser keeps the token: such sessions must confirm the person. */
  readonly inBrowser?: boolean;
}
/** The highest role vouched for in a workspace, or in all (null). */
export type VouchedFor = Session['vouched_for'][number];
/** `id`: unique per person, no secret. */
export type Session = Omit<OwnSession, 'current'>;
/** `current`: the asking one. */
type OwnSession = ApiSchema<'SessionList'>['sessions'][number];

/** `id`: unique per person. `credential`: the browsers' id, base64url. No secrets. */
export type Passkey = ApiSchema<'PasskeyList'>['passkeys'][number];
/** A passkey's signed and verified data. */
export interface PasskeyAnswer {
  /** SHA-256 of the credential's id, hex, as for the challenge. */
  readonly passkeyId: string;
  readonly counter: number;
  readonly challengeHash: string;
  readonly challengeEndsMs: number;
}

export const SESSION_CALLS = {
  /** Returns the data to check a sign-in. `password`: stored form; null: only pairing codes. */
  findUser: call<{ email: string }, { userId: number; password: string | null } | null>({
    reads: true,
    internal: true,
  }),
  /** `password`: the verified stored one; null is answered if changed. */
  openSession: call<NewSession & { userId: number; password: string }, SignedIn | null>({
    internal: true,
    own: 'sessions',
  }),
  /** Spends a valid code, and opens a session. */
  redeemPairingCode: call<NewSession & { codeHash: string }, SignedIn | null>({ internal: true, own: 'sessions' }),
  /** Opens a session by a passkey's signature. null: challenge used or expired, or the counter went back. */
  openByPasskey: call<NewSession & { answer: PasskeyAnswer }, SignedIn | null>({ internal: true, own: 'sessions' }),
  /** Returns data to verify a passkey's signature. `publicKey`: COSE, base64url. `passkeyId`: see `PasskeyAnswer`. */
  findPasskey: call<{ passkeyId: string }, { userId: number; publicKey: string; counter: number; rpId: string } | null>(
    { reads: true, internal: true },
  ),
  /** Adds a passkey of the session's person, vouched for like the session. */
  addPasskey: call<
    PasskeyAnswer & {
      userId: number;
      tokenHash: string;
      credential: string;
      publicKey: string;
      rpId: string;
      name: string;
    },
    Passkey | Refusal
  >({ internal: true, own: 'sessions', audit: (_, { name }) => change('member.passkey-add', null, `"${name}"`) }),
  /** Lists own passkeys without rights beyond the session's. */
  listPasskeys: call<{ userId: number; tokenHash: string }, readonly Passkey[]>({ reads: true, internal: true }),
  removePasskey: call<{ userId: number; tokenHash: string; id: string }, Passkey | Refusal>({
    internal: true,
    own: 'sessions',
    audit: (_, { name }) => change('member.passkey-remove', null, `"${name}"`),
  }),
  /** Adds the vouchers of the person's code to the session. null: a bad code. */
  addVouchers: call<{ tokenHash: string; userId: number; codeHash: string }, true | null>({
    internal: true,
    invalidates: ['sessions'],
    own: 'sessions',
  }),
  /**
   * `stale`: `touchSession` is due. `confirmed`: the person proved themselves within ten minutes, or is never asked.
   */
  findSession: call<{ tokenHash: string }, (SignedIn & { stale: boolean; confirmed: boolean }) | null>({
    reads: true,
    internal: true,
  }),
  /**
   * Proves again who the person is. `password` as for `openSession`; a code of theirs is spent. `too_narrow`: the proof
   * is good, but vouched for less than the session. Null: the proof is bad.
   */
  confirmSession: call<
    { tokenHash: string; userId: number } & ({ password: string } | { codeHash: string } | { answer: PasskeyAnswer }),
    'confirmed' | 'too_narrow' | null
  >({ internal: true }),
  /** Extends the session. */
  touchSession: call<{ tokenHash: string }, null>({ internal: true }),
  /** Shortens some sessions opened when sessions lived longer: they end like new ones. Returns how many. */
  shortenSessions: call<Record<never, never>, number>({ internal: true, isStep: true }),
  closeSession: call<{ tokenHash: string }, null>({ internal: true, own: 'sessions' }),
  listSessions: call<{ email: string }, readonly Session[] | Refusal>({ reads: true }),
  /**
   * Closes one of a person's sessions, or all together with any unused pairing code. `workspace`: only its members. The
   * person is signed out of all their workspaces, so a manager must be one in each of them. A person's own call closes
   * only sessions without rights that the asking one lacks.
   */
  closeSessions: call<{ email: string; id?: string; workspace?: string } & ClosedBefore, Closing | Refusal>({
    invalidates: ['sessions'],
    own: 'sessions',
    rest: (args, { closed, more }) => (more ? { name: 'closeSessions', args: { ...args, closed } } : null),
    audit: ({ workspace = null }, { email, closed, more }) =>
      more ? null : change('member.sign-out', workspace, `${email}: ${sessions(closed)}`),
  }),
  /**
   * Lists own sessions without rights the asking one lacks, newest first. `tokenHash`: the asking one's (`current`).
   */
  listOwnSessions: call<{ userId: number; tokenHash: string }, readonly OwnSession[]>({ reads: true, internal: true }),
  /**
   * Changes one's own password; ends other sessions without rights beyond the new one's. It is vouched for like the
   * session and the old one. `current`: the verified stored password; null: none.
   */
  changePassword: call<
    { userId: number; tokenHash: string; current: string | null; password: string } & ClosedBefore,
    Closing | Refusal
  >({
    internal: true,
    invalidates: ['sessions'],
    own: 'sessions',
    rest: (args, { closed, more }) =>
      more ? { name: 'changePassword', args: { ...args, current: args.password, closed } } : null,
    audit: (_, { email, more }) => (more ? null : change('member.password', null, email)),
  }),
  /** Sets a person's password, for operators. Ends all sessions and voids the pairing code. */
  setPassword: call<{ email: string; password: string } & ClosedBefore, Closing | Refusal>({
    invalidates: ['sessions'],
    own: 'sessions',
    rest: (args, { closed, more }) => (more ? { name: 'setPassword', args: { ...args, closed } } : null),
    audit: (_, { email, more }) => (more ? null : change('member.password', null, email)),
  }),
};

/** `closed`: sessions ended in earlier parts. */
interface ClosedBefore {
  readonly closed?: number;
}
/** `closed`: sessions ended in all parts so far. `more`: the client calls again. */
interface Closing {
  readonly email: string;
  readonly closed: number;
  readonly more?: true;
}

function sessions(count: number): string {
  return `${count} ${count === 1 ? 'session' : 'sessions'}`;
}
