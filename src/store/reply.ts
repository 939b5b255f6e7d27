import { unreachable } from '../push.ts';
import type { Metadata, Topic } from './call.ts';
import {
  type Actor,
  CALL_NAMES,
  CALLS,
  type CallName,
  type LostRight,
  type Reader,
  type Revocation,
  RightsLost,
  type StoreClient,
  StoreUnavailable,
} from './calls.ts';

/** A call on its way to the store, as plain data. */
export interface CallRequest {
  readonly name: CallName;
  readonly args: unknown;
  readonly actor?: Actor;
}

/** Sees a call that was carried out, with its answer. */
export type OnDone = (request: CallRequest, answer: unknown) => void;

/**
 * What comes back. `revocations`: for the relay, before the answer is given. `mayBeDone`: as in `StoreUnavailable`. `damage`:
 * the database's own pages are at fault, for good or just now. `unavailable` becomes a `StoreUnavailable`,
 * `rights_lost` a `RightsLost`, `bug` an `Error` with the same words.
 */
export type Reply =
  | { readonly kind: 'answer'; readonly answer: unknown; readonly revocations?: readonly Revocation[] }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly mayBeDone?: true; readonly damage?: Damage }
  | { readonly kind: 'rights_lost'; readonly lost: LostRight }
  | { readonly kind: 'bug'; readonly message: string };

export type Damage = 'lasting' | 'passing';

export function bugReply(error: unknown): Reply {
  return { kind: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** The reply to a call over the socket that failed. The stack stays here. */
export function failureReply(call: string, error: unknown): Reply {
  if (error instanceof StoreUnavailable)
    return { kind: 'unavailable', reason: error.reason, ...(error.mayBeDone && { mayBeDone: true }) };
  const [what = ''] = String((error as Error).message).split('\n', 1);
  return { kind: 'bug', message: `${call} failed in the server, whose log shows where: ${what}` };
}

export function revocationsOf(replies: readonly Reply[]): readonly Revocation[] {
  return replies.flatMap((reply) => (reply.kind === 'answer' ? (reply.revocations ?? []) : []));
}

/** The topics of all calls that were carried out, each once. */
export function touchedBy(calls: readonly CallRequest[], replies: readonly Reply[]): readonly Topic[] {
  const topics = calls.flatMap(({ name }, index) => {
    const reply = replies[index];
    if (reply?.kind !== 'answer') return [];
    const invalidates = CALLS[name].invalidates as Metadata<unknown, unknown>['invalidates'];
    return (typeof invalidates === 'function' ? invalidates(reply.answer) : invalidates) ?? [];
  });
  return [...new Set(topics)];
}

export function isRead({ name }: CallRequest): boolean {
  return CALLS[name].reads === true;
}

/** Whether it may take seconds over a large database. */
export function isLongRead({ name, args }: CallRequest): boolean {
  const offThread = CALLS[name].offThread as Metadata<unknown, unknown>['offThread'];
  return typeof offThread === 'function' ? offThread(args) : offThread === true;
}

/** The answer that a reply carries, or the error that it stands for. */
export function unpack(reply: Reply): unknown {
  switch (reply.kind) {
    case 'answer':
      return reply.answer;
    case 'unavailable':
      throw new StoreUnavailable(reply.reason, reply.mayBeDone);
    case 'rights_lost':
      throw new RightsLost(reply.lost);
    case 'bug':
      throw new Error(reply.message);
    default:
      return unreachable(reply);
  }
}

/** Brings a call to the store, and its reply back: over a thread, a socket or a database, or in this process. */
export interface Transport {
  ask(call: CallRequest, reader?: Reader): Promise<Reply>;
  close(): Promise<void>;
}

/** The store's calls as methods. `actorOf` names the actor of calls that come without one. */
export function clientOver(transport: Transport, actorOf?: () => Actor): StoreClient {
  const calls = CALL_NAMES.map((name) => {
    const call = async (args: unknown, actor = actorOf?.(), reader?: Reader) =>
      unpack(await transport.ask({ name, args, ...(actor && { actor }) }, reader));
    return [name, call];
  });
  return { ...Object.fromEntries(calls), close: () => transport.close() } as StoreClient;
}

/** Returns whether the call is allowed while new work is refused (disk full or damaged). */
export function promisesNothing({ name }: CallRequest): boolean {
  const { reads, isFollowUp } = CALLS[name];
  return reads === true || isFollowUp === true;
}
