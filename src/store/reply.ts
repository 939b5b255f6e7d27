import { unreachable } from '../push.ts';
import type { Metadata, Topic } from './call.ts';
import {
  CALLS,
  type CallRequest,
  isRefusal,
  type Reply,
  type Revocation,
  RightsLost,
  StoreUnavailable,
} from './calls.ts';

export type { CallRequest, Damage, Reply, Transport } from './calls.ts';

export type OnDone = (request: CallRequest, answer: unknown) => void;

export function bugReply(error: unknown): Reply {
  return { kind: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Returns a failed socket call's reply. The stack stays here. */
export function failureReply(call: string, error: unknown): Reply {
  if (error instanceof StoreUnavailable)
    return { kind: 'unavailable', reason: error.reason, ...(error.mayBeDone && { mayBeDone: true }) };
  const [what = ''] = String((error as Error).message).split('\n', 1);
  return { kind: 'bug', message: `${call} failed in the server, whose log shows where: ${what}` };
}

export function revocationsOf(replies: readonly Reply[]): readonly Revocation[] {
  return replies.flatMap((reply) => (reply.kind === 'answer' ? (reply.revocations ?? []) : []));
}

/** Returns the executed calls' topics, each once. */
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

/** Whether it may take seconds in a large database. */
export function isLongRead({ name, args }: CallRequest): boolean {
  const offThread = CALLS[name].offThread as Metadata<unknown, unknown>['offThread'];
  return typeof offThread === 'function' ? offThread(args) : offThread === true;
}

/** Returns the continuing call; null: all is done. The same call has the same actor, others the server. */
export function restOf({ name, args, actor }: CallRequest, answer: unknown): CallRequest | null {
  const rest = (CALLS[name] as Metadata<unknown, unknown>).rest;
  const next = rest === undefined || isRefusal(answer) ? null : (rest(args, answer) as CallRequest | null);
  return next?.name === name && actor !== undefined ? { ...next, actor } : next;
}

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

/** Returns whether the call is allowed while new work is refused (disk full, damage). */
export function isWithoutPromise({ name }: CallRequest): boolean {
  const { reads, isFollowUp } = CALLS[name];
  return reads === true || isFollowUp === true;
}
