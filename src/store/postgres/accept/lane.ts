import { type Clock, momentOf } from '../../../clock.ts';
import type { ArgsOf } from '../../calls.ts';
import { bugReply, type CallRequest, type Reply } from '../../carriers/reply.ts';
import type { Connection, Connections } from '../connections.ts';
import { errorReply, isCollision, unavailableReason } from '../errors.ts';
import { measured, type OnGroup } from '../in-groups.ts';
import { type AcceptingDeps, type Asked, acceptTogether, type Judgement } from './accepting.ts';
import { type Counted, countTogether, isCounted } from './counting.ts';
import { EventGroups } from './groups.ts';

/** Beside the committer: events wait for no control change. */
export interface AcceptLane {
  /** Whether the call is one for this lane: an event of an integrator's, to accept or to check. */
  takes(call: CallRequest): boolean;
  answer(call: CallRequest): Promise<Reply>;
}

export interface AcceptLaneDeps extends Pick<AcceptingDeps, 'settings'> {
  readonly node: () => number;
  readonly onGroup?: OnGroup | undefined;
  /** Instead of the database's. */
  readonly clock?: Clock | undefined;
}

/** Enough for many clients at once; more would keep those of other nodes waiting. */
const MOST_TOGETHER = 500;
/** Of transactions that have met: how often one is begun. */
const MOST_TRIES = 5;

/** What became of one of a group. A reply: it has failed. */
type Outcome = Judgement | { readonly kind: 'failed'; readonly reply: Reply };
type Settled = Exclude<Outcome, { readonly kind: 'again' } | { readonly kind: 'busy' }>;

/** Counts the requests of the keys, then accepts the events, each in groups of what came meanwhile. */
export function acceptLane(connections: Connections, deps: AcceptLaneDeps): AcceptLane {
  const { clock, onGroup } = deps;
  const limited = new Set<number>();
  const counts = new EventGroups<Asked, Counted>({
    most: MOST_TOGETHER,
    workspaceOf: ({ args }) => args.workspaceId,
    takesTurns: () => false,
    carryOut: (group) => untilUncrossed((connection) => countTogether(connection, group, clock?.steadyMs() ?? null)),
  });
  const groups = new EventGroups<Asked, Outcome>({
    most: MOST_TOGETHER,
    workspaceOf: ({ args }) => args.workspaceId,
    takesTurns: (workspaceId) => limited.has(workspaceId),
    carryOut: (group, how) => measured(group, () => together(group, how), onGroup),
  });

  /** Where one of them throws (a bug), each is asked alone. */
  async function together(
    group: readonly Asked[],
    how: { readonly slot: number; readonly mayWait: boolean },
  ): Promise<readonly Outcome[]> {
    const node = deps.node();
    try {
      return await untilUncrossed((connection) =>
        acceptTogether(connection, group, {
          settings: deps.settings,
          // Two groups that are under way do not count in the same rows, or one would wait for the other.
          node: how.slot === 0 ? node : -node,
          home: node,
          limited,
          mayWait: how.mayWait,
          now: clock && momentOf(clock),
        }),
      );
    } catch (error) {
      if (unavailableReason(error) !== undefined) return group.map(() => failed(errorReply(error)));
      if (group.length === 1) return [failed(bugReply(error))];
      const outcomes: Outcome[] = [];
      for (const one of group) outcomes.push(...(await together([one], how)));
      return outcomes;
    }
  }

  async function untilUncrossed<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await connections.lend(work);
      } catch (error) {
        if (!isCollision(error) || tries === MOST_TRIES) throw error;
      }
    }
  }

  async function accepted(asked: Asked): Promise<Settled> {
    let outcome = await groups.ask(asked);
    while (outcome.kind === 'again' || outcome.kind === 'busy') {
      outcome = await (outcome.kind === 'again' ? groups.ask(asked) : groups.wait(asked));
    }
    return outcome;
  }

  return {
    takes: ({ name, actor }) =>
      name === 'checkEvent' || (name === 'acceptEvent' && (actor === undefined || actor.kind === 'key')),

    async answer(call) {
      try {
        const asked = askedBy(call);
        const { requests, isOver } = isCounted(asked) ? await counts.ask(asked) : { isOver: false };
        const outcome = await accepted({ ...asked, isOver });
        return replyOf(outcome, requests);
      } catch (error) {
        return errorReply(error);
      }
    },
  };
}

function failed(reply: Reply): Outcome {
  return { kind: 'failed', reply };
}

function askedBy({ name, args, actor }: CallRequest): Asked {
  return {
    isCheck: name === 'checkEvent',
    ...(actor?.kind === 'key' && { key: actor }),
    args: args as ArgsOf<'acceptEvent'>,
  };
}

function replyOf(outcome: Settled, requests: Counted['requests']): Reply {
  if (outcome.kind === 'failed') return outcome.reply;
  const told = { ...outcome, ...(requests !== undefined && { requests }) };
  return told.kind === 'rights_lost' ? told : { kind: 'answer', answer: told };
}
