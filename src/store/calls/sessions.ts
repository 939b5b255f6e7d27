/** Calls for signing in and out: sessions, passwords, pairing codes, passkeys. */
import type { ApiSchema } from '../../contract/api-types.ts';
import type { Role } from '../../push.ts';
import { call, change } from '../call.ts';
import type { Refusal } from '../refusal.ts';

/**
 * A user, and where their session may act. `id` is for further calls, never shown. `waiting`: where they belong as well,
 * but this session is not vouched for.
 */
export interface Identity {
  readonly user: { readonly id: number; readonly email: string; readonly name: string };
  readonly memberships: readonly Membership[];
  readonly waiting: readonly Omit<Membership, 'workspaceId' | 'waitingFor'>[];
}
/** `role`: the one that the session has. `waitingFor`: the person's own, where that is a higher one; else null. */
export interface Membership
  extends Pick<ApiSchema<'Session'>['workspaces'][number], 'slug' | 'name' | 'status' | 'role'> {
  readonly workspaceId: number;
  readonly waitingFor: Role | null;
}
export interface SignedIn extends Identity {
  readonly expires_at: string;
}
export interface NewSession {
  /** SHA-256 of the token, hex; the token itself never comes here. */
  readonly tokenHash: string;
  readonly userAgent?: string;
  /** Whether a browser keeps the token: such a session is asked to confirm who it is. */
  readonly inBrowser?: boolean;
}
/** How far something is vouched for in a workspace, or in all of them (null): up to this role. */
export type VouchedFor = Session['vouched_for'][number];
/** `id` identifies a session of one person; it is no secret. */
export type Session = Omit<OwnSession, 'current'>;
/** `current`: the one that asks. */
export type OwnSession = ApiSchema<'SessionList'>['sessions'][number];

/** `id` identifies a passkey of one person. `credential`: the id by which browsers know it, base64url. No secrets. */
export type Passkey = ApiSchema<'PasskeyList'>['passkeys'][number];
/** The data that a passkey has signed, once the signature was verified. */
export interface PasskeyAnswer {
  /** SHA-256 of the credential's id, hex, as is the challenge's of that. */
  readonly passkeyId: string;
  readonly counter: number;
  readonly challengeHash: string;
  readonly challengeEndsMs: number;
}

export const SESSION_CALLS = {
  /**
   * Returns the data for checking a sign-in. `password`: its stored form; null: this person signs in by pairing codes
   * only.
   */
  findUser: call<{ email: string }, { userId: number; password: string | null } | null>({
    reads: true,
    internal: true,
  }),
  /** `password`: the stored one that was verified; null is answered where it has been changed meanwhile. */
  openSession: call<NewSession & { userId: number; password: string }, SignedIn | null>({
    internal: true,
    own: 'sessions',
  }),
  /** Spends the code, and opens a session if it was still good. */
  redeemPairingCode: call<NewSession & { codeHash: string }, SignedIn | null>({ internal: true, own: 'sessions' }),
  /** Opens a session by what a passkey has signed. null: its challenge was used or is too old, or its counter went back. */
  openByPasskey: call<NewSession & { answer: PasskeyAnswer }, SignedIn | null>({ internal: true, own: 'sessions' }),
  /**
   * Returns the data for verifying a passkey's signature. `publicKey`: COSE, base64url. `passkeyId`: see
   * `PasskeyAnswer`.
   */
  findPasskey: call<{ passkeyId: string }, { userId: number; publicKey: string; counter: number; rpId: string } | null>(
    { reads: true, internal: true },
  ),
  /** A new one of the person in this session, vouched for like it. */
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
  /** One's own: those that give nothing which the session that asks lacks. */
  listPasskeys: call<{ userId: number; tokenHash: string }, readonly Passkey[]>({ reads: true, internal: true }),
  removePasskey: call<{ userId: number; tokenHash: string; id: string }, Passkey | Refusal>({
    internal: true,
    own: 'sessions',
    audit: (_, { name }) => change('member.passkey-remove', null, `"${name}"`),
  }),
  /** Adds the vouchers of a code of the same person to the session. null: the code is not good. */
  addVouchers: call<{ tokenHash: string; userId: number; codeHash: string }, true | null>({
    internal: true,
    invalidates: ['sessions'],
    own: 'sessions',
  }),
  /**
   * `stale`: it was not touched for a while, so `touchSession` is due. `confirmed`: the person has proved within ten
   * minutes who they are, or is never asked.
   */
  findSession: call<{ tokenHash: string }, (SignedIn & { stale: boolean; confirmed: boolean }) | null>({
    reads: true,
    internal: true,
  }),
  /**
   * The person has proved again who they are. `password` as for `openSession`; a code of theirs is spent. `too_narrow`:
   * the proof is good, but not vouched for all that the session may do. null: it was not good.
   */
  confirmSession: call<
    { tokenHash: string; userId: number } & ({ password: string } | { codeHash: string } | { answer: PasskeyAnswer }),
    'confirmed' | 'too_narrow' | null
  >({ internal: true }),
  /** The session is in use: its end moves on. */
  touchSession: call<{ tokenHash: string }, null>({ internal: true }),
  /**
   * Sessions that were opened while they lived longer end as those of now, some at a time: how many were shortened by
   * this call.
   */
  shortenSessions: call<Record<never, never>, number>({ internal: true, isStep: true }),
  closeSession: call<{ tokenHash: string }, null>({ internal: true, own: 'sessions' }),
  listSessions: call<{ email: string }, readonly Session[] | Refusal>({ reads: true }),
  /**
   * One of a person's sessions, or all together with a pairing code that is not used yet. With `workspace` only for its
   * members. The person is signed out of all their workspaces: so a manager must be one in each of them. Of one's own,
   * only those that have no right which the session that asks lacks.
   */
  closeSessions: call<{ email: string; id?: string; workspace?: string } & ClosedBefore, Closing | Refusal>({
    invalidates: ['sessions'],
    own: 'sessions',
    rest: (args, { closed, more }) => (more ? { name: 'closeSessions', args: { ...args, closed } } : null),
    audit: ({ workspace = null }, { email, closed, more }) =>
      more ? null : change('member.sign-out', workspace, `${email}: ${sessions(closed)}`),
  }),
  /**
   * One's own, the newest first: those that have no right which the session that asks lacks. `tokenHash`: of that one,
   * which is the `current` one.
   */
  listOwnSessions: call<{ userId: number; tokenHash: string }, readonly OwnSession[]>({ reads: true, internal: true }),
  /**
   * One's own: ends all other sessions that have no right beyond the new password's. That is vouched for like the
   * session, and like the old one. `current`: the stored password that was verified; null: there was none.
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
  /** A person's, by an operator: ends all sessions and voids the pairing code. */
  setPassword: call<{ email: string; password: string } & ClosedBefore, Closing | Refusal>({
    invalidates: ['sessions'],
    own: 'sessions',
    rest: (args, { closed, more }) => (more ? { name: 'setPassword', args: { ...args, closed } } : null),
    audit: (_, { email, more }) => (more ? null : change('member.password', null, email)),
  }),
};

/** `closed`: sessions that earlier parts of the call have ended. */
interface ClosedBefore {
  readonly closed?: number;
}
/** `closed`: sessions that have ended, of all parts so far. If `more`, some are left, and its client calls again. */
interface Closing {
  readonly email: string;
  readonly closed: number;
  readonly more?: true;
}

function sessions(count: number): string {
  return `${count} ${count === 1 ? 'session' : 'sessions'}`;
}
