import type { Moment } from '../../process/clock.ts';
import type { Actor, Revocation } from '../calls.ts';
import type { CallRequest, Reply } from '../reply.ts';
import type { Awaitable } from '../sql.ts';
import type { CallHandlers } from './handler.ts';
import type { Rights } from './people/rights.ts';

export interface CallHooks {
  /** Checked before calls with an actor. */
  readonly rights?: Rights;
  /** Gets each call with its answer. */
  readonly record?: (call: CallRequest, answer: unknown, now: Moment) => Awaitable<void>;
  /** Adds hints to an answer. */
  readonly advise?: (answer: unknown, actor: Actor | undefined) => Awaitable<unknown>;
  /** Takes the call's reported revocations, if they go with its answer. */
  readonly takeRevocations?: () => readonly Revocation[];
}

type Handler = (args: unknown, now: Moment, actor: Actor | undefined) => unknown;

const NO_REVOCATIONS: readonly Revocation[] = [];

export function answering(
  handlers: Partial<CallHandlers>,
  {
    rights = () => null,
    record = () => {},
    advise = (answer) => answer,
    takeRevocations = () => NO_REVOCATIONS,
  }: CallHooks,
): (call: CallRequest, now: Moment) => Awaitable<Reply> {
  return (call, now) => {
    const { name, args, actor } = call;
    const handler = handlers[name] as Handler | undefined;
    if (!handler) throw new Error(`no handler for ${name}`);
    return whenKnown(actor === undefined ? null : rights(actor, now), (lost) => {
      if (lost !== null) return { kind: 'rights_lost', lost };
      return whenKnown(handler(args, now, actor), (answered) =>
        whenKnown(record(call, answered, now), () =>
          whenKnown(advise(answered, actor), (answer) => replyWith(answer, takeRevocations())),
        ),
      );
    });
  };
}

/** Answers a group's calls in order. Known values are not awaited. */
export async function oneByOne(
  calls: readonly CallRequest[],
  answer: (call: CallRequest) => Awaitable<Reply>,
): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (const call of calls) {
    const reply = answer(call);
    replies.push(reply instanceof Promise ? await reply : reply);
  }
  return replies;
}

function replyWith(answer: unknown, revocations: readonly Revocation[]): Reply {
  return revocations.length === 0 ? { kind: 'answer', answer } : { kind: 'answer', answer, revocations };
}

/** Continues at once with known values: awaiting costs an event a tenth of its time. */
function whenKnown<T, R>(value: Awaitable<T>, goOn: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
