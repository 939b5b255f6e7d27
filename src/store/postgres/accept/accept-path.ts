import { type Clock, momentOf } from '../../../process/clock.ts';
import { measured, type OnGroup } from '../../../values/in-groups.ts';
import type { ArgsOf } from '../../calls.ts';
import { bugReply, type CallRequest, type Reply } from '../../reply.ts';
import type { CallPath } from '../call-path.ts';
import type { Connections } from '../connections.ts';
import { ConnectionLost, errorReply, retryingConflicts, unavailableReason } from '../errors.ts';
import type { LeasedRow } from '../queue/leased-work.ts';
import { type AcceptingDeps, type Asked, type Judgement, postTogether } from './accepting.ts';
import { EventGroups } from './groups.ts';

interface AcceptPathDeps extends Pick<AcceptingDeps, 'settings' | 'sounds'> {
  /** The sender's longest wait in ms. Requests not executed by then never are. */
  readonly answerWithinMs: number;
  readonly node: () => number;
  /** The most targets of a fan-out that this node owns at its acceptance. */
  readonly ownUpTo: () => number;
  /** Called after groups with an accepted event, by this node's id then. */
  readonly onAccepted: (node: number, owned: readonly LeasedRow[], targets: number) => void;
  /** Called if events may have been accepted, but the answer is lost. */
  readonly onUncertain: () => void;
  readonly onGroup?: OnGroup | undefined;
  /** Replaces the database's clock. */
  readonly clock?: Clock | undefined;
}

/** Enough for many clients. Larger groups would delay other nodes'. */
const MOST_TOGETHER = 500;
const NOT_BEGUN: Reply = { kind: 'unavailable', reason: 'the database did not answer in time' };
/** Events with less time left are not begun: the commit would come too late. */
const LEAST_MS = 100;

interface Timed extends Asked {
  /** The time until which it may be accepted, by the clock of `performance`. */
  readonly untilMs: number;
}
/** One request's outcome. A reply: it failed. */
type Outcome = (Judgement | { readonly kind: 'failed'; readonly reply: Reply }) & Pick<Asked, 'requests'>;
interface GroupOptions {
  readonly slot: number;
  readonly canWait: boolean;
}
type Settled = Exclude<Outcome, { readonly kind: 'again' } | { readonly kind: 'busy' }>;

/**
 * Accepts or checks integrators' events in groups, counting them under keys, without the committer: events do not await
 * control changes.
 */
export function acceptPath(connections: Connections, deps: AcceptPathDeps): CallPath {
  const { clock, onGroup } = deps;
  const limited = new Set<number>();
  const groups = new EventGroups<Timed, Outcome>({
    most: MOST_TOGETHER,
    workspaceOf: ({ args }) => args.workspaceId,
    hasTurns: (workspaceId) => limited.has(workspaceId),
    carryOut: (group, how) => measured(group, () => answerGroup(group, how), onGroup),
  });

  async function answerGroup(group: readonly Timed[], how: GroupOptions): Promise<readonly Outcome[]> {
    const nowMs = performance.now();
    const isInTime = ({ untilMs }: Timed) => untilMs - nowMs >= LEAST_MS;
    const inTime = group.filter(isInTime);
    const outcomes = inTime.length === 0 ? [] : await carryOut(inTime, how);
    const outcomesInTime = outcomes.values();
    return group.map((request) => (isInTime(request) && outcomesInTime.next().value) || failed(NOT_BEGUN));
  }

  /** Accepts a group. If an event throws (a bug), retries each event alone. */
  async function carryOut(group: readonly Timed[], { slot, canWait }: GroupOptions): Promise<readonly Outcome[]> {
    const home = deps.node();
    const untilMs = Math.min(...group.map((request) => request.untilMs)) - LEAST_MS / 2;
    try {
      return await retryingConflicts(() =>
        connections.lend((connection) =>
          postTogether(connection, group, {
            settings: deps.settings,
            sounds: deps.sounds,
            // Simultaneous groups count in different rows, so neither waits.
            node: slot === 0 ? home : -home,
            home,
            ownUpTo: deps.ownUpTo(),
            onOwned: (owned, targets) => targets > 0 && deps.onAccepted(home, owned, targets),
            limited,
            canWait,
            now: clock && momentOf(clock),
            withinMs: Math.floor(untilMs - performance.now()),
          }),
        ),
      );
    } catch (error) {
      if (error instanceof ConnectionLost) deps.onUncertain();
      if (unavailableReason(error) !== undefined) return group.map(() => failed(errorReply(error)));
      if (group.length === 1) return [failed(bugReply(error))];
      const outcomes: Outcome[] = [];
      for (const request of group) outcomes.push(...(await answerGroup([request], { slot, canWait })));
      return outcomes;
    }
  }

  async function reply(asked: Timed): Promise<Reply> {
    try {
      let outcome = await groups.ask(asked);
      while (outcome.kind === 'again' || outcome.kind === 'busy') {
        const { kind, requests } = outcome;
        const counted = requests === undefined ? asked : { ...asked, requests };
        outcome = await (kind === 'again' ? groups.ask(counted) : groups.wait(counted));
      }
      return replyOf(outcome);
    } catch (error) {
      return errorReply(error);
    }
  }

  return {
    canTake: ({ name, actor }) =>
      name === 'checkEvent' || (name === 'acceptEvent' && (actor === undefined || actor.kind === 'key')),

    answer: (call) => reply(askedBy(call, performance.now() + deps.answerWithinMs)),
  };
}

function failed(reply: Reply): Outcome {
  return { kind: 'failed', reply };
}

function askedBy({ name, args, actor }: CallRequest, untilMs: number): Timed {
  return {
    isCheck: name === 'checkEvent',
    ...(actor?.kind === 'key' && { key: actor }),
    args: args as ArgsOf<'acceptEvent'>,
    untilMs,
  };
}

function replyOf(outcome: Settled): Reply {
  if (outcome.kind === 'failed') return outcome.reply;
  return outcome.kind === 'rights_lost'
    ? { kind: 'rights_lost', lost: outcome.lost }
    : { kind: 'answer', answer: outcome };
}
