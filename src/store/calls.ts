/**
 * One protocol, whichever `Transport` carries it. `CALLS` is everything that can be asked of the store: by the server's
 * threads, by the command line tool over the socket, and by the same tool in its own process. Arguments and answers are
 * JSON values.
 *
 * The owner of the store stamps the time of each call (`Moment`), so no caller's clock counts.
 *
 * Expected failures are answers (`Refusal`, or a `kind` of their own), never exceptions.
 */
import type { Scope } from '../push.ts';
import { ALERT_CALLS } from './calls/alerts.ts';
import { DEVICE_CALLS } from './calls/devices.ts';
import { EVENT_CALLS } from './calls/events.ts';
import { HEARTBEAT_CALLS } from './calls/heartbeats.ts';
import { IDENTITY_CALLS } from './calls/identities.ts';
import { INBOX_CALLS } from './calls/inbox.ts';
import { MAINTENANCE_CALLS } from './calls/maintenance.ts';
import { MEMBER_CALLS } from './calls/members.ts';
import { OPERATOR_CALLS } from './calls/operators.ts';
import { OWN_DEVICE_CALLS } from './calls/own-devices.ts';
import { QUEUE_CALLS, type Revocation } from './calls/queue.ts';
import { RECEIPT_CALLS } from './calls/receipts.ts';
import { SERVING_CALLS } from './calls/serving.ts';
import { SESSION_CALLS } from './calls/sessions.ts';
import { STATS_CALLS } from './calls/stats.ts';
import { WEBHOOK_CALLS } from './calls/webhooks.ts';

/** So that callers of the store find all that it takes and answers in one place. */
export type * from './calls/alerts.ts';
export type * from './calls/devices.ts';
export type * from './calls/events.ts';
export type * from './calls/heartbeats.ts';
export type * from './calls/identities.ts';
export type * from './calls/inbox.ts';
export type * from './calls/maintenance.ts';
export type * from './calls/members.ts';
export type * from './calls/operators.ts';
export type * from './calls/own-devices.ts';
export type * from './calls/queue.ts';
export type * from './calls/receipts.ts';
export type * from './calls/serving.ts';
export type * from './calls/sessions.ts';
export type * from './calls/stats.ts';
export type * from './calls/webhooks.ts';
export type * from './records.ts';
export { isRefusal, type Refusal, type Unknown } from './refusal.ts';

/** Every call, each declared once: in the list that its noun belongs to. */
export const CALLS = {
  ...SERVING_CALLS,
  ...QUEUE_CALLS,
  ...OPERATOR_CALLS,
  ...DEVICE_CALLS,
  ...EVENT_CALLS,
  ...HEARTBEAT_CALLS,
  ...ALERT_CALLS,
  ...SESSION_CALLS,
  ...IDENTITY_CALLS,
  ...OWN_DEVICE_CALLS,
  ...RECEIPT_CALLS,
  ...INBOX_CALLS,
  ...MAINTENANCE_CALLS,
  ...MEMBER_CALLS,
  ...STATS_CALLS,
  ...WEBHOOK_CALLS,
};

export type CallName = keyof typeof CALLS;
export const CALL_NAMES = Object.keys(CALLS) as readonly CallName[];

type TypesOf<N extends CallName> = NonNullable<(typeof CALLS)[N]['types']>;
export type ArgsOf<N extends CallName> = TypesOf<N>[0];
export type AnswerOf<N extends CallName> = TypesOf<N>[1];

/** The caller of a call, and what authorizes it. */
export type Actor = OperatorActor | UserActor | KeyActor;

/** The command line, which may do everything. `name`: the account. */
export interface OperatorActor {
  readonly kind: 'operator';
  readonly name: string;
  readonly address: null;
}
/** A user who is signed in. `name`: the email. */
export interface UserActor {
  readonly kind: 'user';
  readonly name: string;
  readonly address: string;
  /** SHA-256 of the session's token, hex: it must be open still. */
  readonly session: string;
  /** Id of the workspace that they must be an owner or admin of; null: any session will do. */
  readonly manages: number | null;
  /** The status that the workspace must have. */
  readonly needs?: 'active';
}
/** An integrator, by an API key that must still be good for this. */
export interface KeyActor {
  readonly kind: 'key';
  readonly id: string;
  readonly scope: Scope;
}

/**
 * Asks for reads that may wait: they run beside the store's other work, in turns, and are dropped if `signal` aborts.
 * `groups`: whose turn it is, as in `Turns`.
 */
export interface Reader {
  readonly groups: readonly string[];
  readonly signal: AbortSignal;
}

/** The right that an actor lacks, by the API's error code. */
export type LostRight =
  | 'not_signed_in'
  | 'workspace_not_found'
  | 'role_too_low'
  | 'unauthenticated'
  | 'key_revoked'
  | 'key_expired'
  | 'missing_scope'
  | 'workspace_inactive';

/** A call on its way to the store, as plain data. */
export interface CallRequest {
  readonly name: CallName;
  readonly args: unknown;
  readonly actor?: Actor;
}

/**
 * The reply to a call. `revocations`: for the relay, before the answer is given. `mayBeDone`: as in `StoreUnavailable`. `damage`:
 * the database's own pages are at fault, for good or just now. `unavailable` becomes a `StoreUnavailable`,
 * `rights_lost` a `RightsLost`, `bug` an `Error` with the same words.
 */
export type Reply =
  | { readonly kind: 'answer'; readonly answer: unknown; readonly revocations?: readonly Revocation[] }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly mayBeDone?: true; readonly damage?: Damage }
  | { readonly kind: 'rights_lost'; readonly lost: LostRight }
  | { readonly kind: 'bug'; readonly message: string };

export type Damage = 'lasting' | 'passing';

/** Brings a call to the store, and its reply back: over a thread, a socket or a database, or in this process. */
export interface Transport {
  ask(call: CallRequest, reader?: Reader): Promise<Reply>;
  close(): Promise<void>;
}

/**
 * The store as one caller may use it: each call is in this actor's name. It rejects with `RightsLost` if the actor may no
 * longer do it, and the audit log says who did it.
 */
export type ActingStore = { readonly [N in CallName]: (args: ArgsOf<N>) => Promise<AnswerOf<N>> };

/**
 * The store as its callers see it, whatever carries the calls: `await store.acceptEvent({…})`. A call that is
 * made in an actor's name is carried out only where they may do it at that time, else it rejects with `RightsLost`; a
 * change is written to the audit log in the same transaction. `reader` is for reads alone.
 */
export type StoreClient = {
  readonly [N in CallName]: (args: ArgsOf<N>, actor?: Actor, reader?: Reader) => Promise<AnswerOf<N>>;
} & {
  /** The same calls in the name of this actor. */
  as(actor: Actor): ActingStore;
  readonly transport: Transport;
  close(): Promise<void>;
};

/** The caller was authorized when the request was let in, and no longer is. Nothing was done. */
export class RightsLost extends Error {
  readonly lost: LostRight;
  constructor(lost: LostRight) {
    super(`not allowed any more: ${lost}`);
    this.name = 'RightsLost';
    this.lost = lost;
  }
}

/** The `code` of the `OperatorProblem` where the server ended with a call under way. */
export const SERVER_ENDED = 'server_ended';

/**
 * The store is there but cannot write just now: full disk, read-only, I/O error. HTTP answers 503, and nothing was
 * done, unless the way to a database elsewhere broke with the call under way (`mayBeDone`): then that is unknown.
 */
export class StoreUnavailable extends Error {
  readonly reason: string;
  readonly mayBeDone: boolean;
  constructor(reason: string, mayBeDone = false) {
    super(`the store cannot write: ${reason}`);
    this.name = 'StoreUnavailable';
    this.reason = reason;
    this.mayBeDone = mayBeDone;
  }
}
