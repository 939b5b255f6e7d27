import type { Moment } from '../../process/clock.ts';
import type { Actor, Revocation } from '../calls.ts';
import type { CallRequest, Reply } from '../reply.ts';
import type { Awaitable } from '../sql.ts';
import type { CallHandlers } from './handler.ts';
import type { Rights } from './people/rights.ts';

/** What goes with each call, in the transaction that carries it out. */
export interface CallHooks {
  /** Checked before each call that has an actor. */
  readonly rights?: Rights;
  /** Sees each call with its answer. */
  readonly record?: (call: CallRequest, answer: unknown, now: Moment) => Awaitable<void>;
  /** Completes an answer by what may help the one who asked. */
  readonly advise?: (answer: unknown, actor: Actor | undefined) => Awaitable<unknown>;
  /** The revocations that the call reported, where they go with its answer. */
  readonly takeRevocations?: () => readonly Revocation[];
}

type Handler = (args: unknown, now: Moment, actor: Actor | undefined) => unknown;

const NO_REVOCATIONS: readonly Revocation[] = [];

/** Answers a call within the transaction under way. */
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

/** The replies of a group, one call after the other. Nothing is awaited that is known. */
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

/** At once, unless it has to be awaited: that would cost each event a tenth of its time. */
function whenKnown<T, R>(value: Awaitable<T>, goOn: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
