import { type Clock, momentOf } from '../../../clock.ts';
import type { ArgsOf } from '../../calls.ts';
import { bugReply, type CallRequest, type Reply } from '../../carriers/reply.ts';
import type { Connections } from '../connections.ts';
import { errorReply, isCollision, unavailableReason } from '../errors.ts';
import { measured, type OnGroup } from '../in-groups.ts';
import { type AcceptingDeps, type Asked, acceptTogether, type Judgement } from './accepting.ts';

/** Beside the committer: events wait for no control change. */
export interface AcceptLane {
  /** Whether the call is one for this lane: an event of an integrator's, to accept or to check. */
  takes(call: CallRequest): boolean;
  answer(call: CallRequest): Promise<Reply>;
}

export interface AcceptLaneDeps extends Omit<AcceptingDeps, 'node' | 'home' | 'now'> {
  readonly node: () => number;
  readonly onGroup?: OnGroup | undefined;
  /** Instead of the database's. */
  readonly clock?: Clock | undefined;
}

interface Waiting {
  readonly asked: Asked;
  readonly tell: (reply: Reply) => void;
}

/** Enough for many clients at once; more would keep those of other nodes waiting. */
const MOST_TOGETHER = 500;
/** Of transactions that have met: how often one is begun. */
const MOST_TRIES = 5;

/** One group at a time is with the database. All that comes meanwhile is the next one. */
export function acceptLane(connections: Connections, { clock, node, onGroup, ...deps }: AcceptLaneDeps): AcceptLane {
  const waiting: Waiting[] = [];
  let isUnderWay = false;

  async function work(): Promise<void> {
    if (isUnderWay) return;
    isUnderWay = true;
    while (waiting.length > 0) {
      const group = waiting.splice(0, MOST_TOGETHER);
      const asked = group.map(({ asked }) => asked);
      const replies = await measured(asked, together, onGroup);
      const later: Waiting[] = [];
      for (const [place, one] of group.entries()) {
        const reply = replies[place] ?? 'again';
        if (reply === 'again') later.push({ ...one, asked: uncounted(one.asked) });
        else one.tell(reply);
      }
      waiting.unshift(...later);
    }
    isUnderWay = false;
  }

  /** Where one of them throws (a bug), each is asked alone. */
  async function together(group: readonly Asked[]): Promise<(Reply | 'again')[]> {
    try {
      const judgements = await untilUncrossed(group);
      return judgements.map(replyOf);
    } catch (error) {
      if (unavailableReason(error) !== undefined) return group.map(() => errorReply(error));
      if (group.length === 1) return [bugReply(error)];
      const replies: (Reply | 'again')[] = [];
      for (const one of group) replies.push(...(await together([one])));
      return replies;
    }
  }

  async function untilUncrossed(group: readonly Asked[]): Promise<readonly Judgement[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        const now = clock && momentOf(clock);
        const self = node();
        return await connections.lend((connection) =>
          acceptTogether(connection, group, { ...deps, node: self, home: self, now }),
        );
      } catch (error) {
        if (!isCollision(error) || tries === MOST_TRIES) throw error;
      }
    }
  }

  return {
    takes: ({ name, actor }) =>
      name === 'checkEvent' || (name === 'acceptEvent' && (actor === undefined || actor.kind === 'key')),

    answer: (call) =>
      new Promise((tell) => {
        waiting.push({ asked: askedBy(call), tell });
        void work();
      }),
  };
}

function askedBy({ name, args, actor }: CallRequest): Asked {
  return {
    isCheck: name === 'checkEvent',
    ...(actor?.kind === 'key' && { key: actor }),
    args: args as ArgsOf<'acceptEvent'>,
  };
}

/** Asked once more, it is the same request. */
function uncounted({ args: { perMinute: _, ...args }, ...asked }: Asked): Asked {
  return { ...asked, args };
}

function replyOf(judgement: Judgement): Reply | 'again' {
  if (judgement.kind === 'again') return 'again';
  return judgement.kind === 'rights_lost' ? judgement : { kind: 'answer', answer: judgement };
}
