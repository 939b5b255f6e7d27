/**
 * One protocol for every `Transport`. The server's threads and the command line tool use only `CALLS`. Arguments and
 * answers are JSON values.
 *
 * The store's owner stamps the time (`Moment`): no caller's clock counts.
 *
 * Expected failures are answers (`Refusal` or a `kind`), never exceptions.
 */
import type { Scope } from '../push.ts';
import { ALERT_CALLS } from './calls/alerts.ts';
import { DEVICE_CALLS } from './calls/devices.ts';
import { EVENT_CALLS, INBOX_CALLS } from './calls/events.ts';
import { HEARTBEAT_CALLS } from './calls/heartbeats.ts';
import { MAINTENANCE_CALLS } from './calls/maintenance.ts';
import { IDENTITY_CALLS, MEMBER_CALLS } from './calls/members.ts';
import { ON_CALL_CALLS } from './calls/on-call.ts';
import { OPERATOR_CALLS, STATS_CALLS } from './calls/operators.ts';
import { OWN_DEVICE_CALLS, RECEIPT_CALLS } from './calls/own-devices.ts';
import { QUEUE_CALLS, type Revocation } from './calls/queue.ts';
import { SERVING_CALLS } from './calls/serving.ts';
import { SESSION_CALLS } from './calls/sessions.ts';
import { WEBHOOK_CALLS } from './calls/webhooks.ts';

export type * from './calls/alerts.ts';
export type * from './calls/devices.ts';
export type * from './calls/events.ts';
export type * from './calls/events.ts';
export type * from './calls/heartbeats.ts';
export type * from './calls/maintenance.ts';
export type * from './calls/members.ts';
export type * from './calls/on-call.ts';
export type * from './calls/operators.ts';
export type * from './calls/own-devices.ts';
export type * from './calls/queue.ts';
export type * from './calls/serving.ts';
export type * from './calls/sessions.ts';
export type * from './calls/webhooks.ts';
export type * from './records.ts';
export { isRefusal, type Refusal, type Unknown } from './refusal.ts';

/** Every call, declared once, in its noun's list. */
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
  ...ON_CALL_CALLS,
  ...MEMBER_CALLS,
  ...STATS_CALLS,
  ...WEBHOOK_CALLS,
};

export type CallName = keyof typeof CALLS;
export const CALL_NAMES = Object.keys(CALLS) as readonly CallName[];

type TypesOf<N extends CallName> = NonNullable<(typeof CALLS)[N]['types']>;
export type ArgsOf<N extends CallName> = TypesOf<N>[0];
export type AnswerOf<N extends CallName> = TypesOf<N>[1];

export type Actor = OperatorActor | UserActor | KeyActor;

/** The command line, which may do everything. `name`: account. */
interface OperatorActor {
  readonly kind: 'operator';
  readonly name: string;
  readonly address: null;
}
/** A signed-in user. `name`: email. */
export interface UserActor {
  readonly kind: 'user';
  readonly name: string;
  readonly address: string;
  /** SHA-256 of the token of an open session, hex. */
  readonly session: string;
  /** The workspace that they must own or administer; null: any session. */
  readonly manages: number | null;
  /** The required status of the workspace. */
  readonly needs?: 'active';
}
/** An integrator, by an API key that must still permit this. */
export interface KeyActor {
  readonly kind: 'key';
  readonly id: string;
  readonly scope: Scope;
}

/** Reads that may wait: in turns beside other work, dropped if `signal` aborts. `groups`: as in `Turns`. */
export interface Reader {
  readonly groups: readonly string[];
  readonly signal: AbortSignal;
}

/** The missing right, by the API's error code. */
export type LostRight =
  | 'not_signed_in'
  | 'workspace_not_found'
  | 'role_too_low'
  | 'unauthenticated'
  | 'key_revoked'
  | 'key_expired'
  | 'missing_scope'
  | 'workspace_inactive';

/** A call as plain data. */
export interface CallRequest {
  readonly name: CallName;
  readonly args: unknown;
  readonly actor?: Actor;
}

/**
 * A call's reply. `revocations`: for the relay, before the answer. `mayBeDone`: as in `StoreUnavailable`. `damage`:
 * damaged pages. `unavailable` becomes a `StoreUnavailable`, `rights_lost` a `RightsLost`, `bug` an `Error`.
 */
export type Reply =
  | { readonly kind: 'answer'; readonly answer: unknown; readonly revocations?: readonly Revocation[] }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly mayBeDone?: true; readonly damage?: Damage }
  | { readonly kind: 'rights_lost'; readonly lost: LostRight }
  | { readonly kind: 'bug'; readonly message: string };

/** `lasting`: a malformed page. `passing`: a page cannot be read at the moment. `unwritten`: a write failed. */
export type Damage = 'lasting' | 'passing' | 'unwritten';

/** Carries calls and replies: over a thread, a socket or a database, or in this process. */
export interface Transport {
  ask(call: CallRequest, reader?: Reader): Promise<Reply>;
  close(): Promise<void>;
}

/** Makes calls in this actor's name, for the audit log. Rejects with `RightsLost` if the right is lost. */
export type ActingStore = { readonly [N in CallName]: (args: ArgsOf<N>) => Promise<AnswerOf<N>> };

/**
 * The store for callers: `await store.acceptEvent({…})`. Calls of an actor without the right reject with `RightsLost`.
 * The audit log gets changes in the same transaction. `reader` only reads.
 */
export type StoreClient = {
  readonly [N in CallName]: (args: ArgsOf<N>, actor?: Actor, reader?: Reader) => Promise<AnswerOf<N>>;
} & {
  as(actor: Actor): ActingStore;
  readonly transport: Transport;
  close(): Promise<void>;
};

/** The caller lost the right since admission. Nothing was done. */
export class RightsLost extends Error {
  readonly lost: LostRight;
  constructor(lost: LostRight) {
    super(`not allowed any more: ${lost}`);
    this.name = 'RightsLost';
    this.lost = lost;
  }
}

/** The `OperatorProblem`'s `code` if the server ended during a call. */
export const SERVER_ENDED = 'server_ended';

/**
 * The store cannot write now: full disk, read-only, I/O error. HTTP answers 503, and nothing was done, unless
 * `mayBeDone` (connection lost during the call): unknown.
 */
export class StoreUnavailable extends Error {
  readonly reason: string;
  readonly mayBeDone: boolean;
  constructor(reason: string, canBeDone = false) {
    super(`the store cannot write: ${reason}`);
    this.name = 'StoreUnavailable';
    this.reason = reason;
    this.mayBeDone = canBeDone;
  }
}
