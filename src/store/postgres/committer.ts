import { type Clock, type Moment, momentOf } from '../../clock.ts';
import { CALLS } from '../calls.ts';
import { bugReply, type CallRequest, type Reply, touchedBy } from '../carriers/reply.ts';
import type { Awaitable } from '../sql.ts';
import { oneByOne } from '../verbs/answering.ts';
import type { Connection, Connections, TransactionKind } from './connections.ts';
import { errorReply, isCollision, unavailableReason } from './errors.ts';
import { inGroups, measured, type OnGroup } from './in-groups.ts';
import { takingLock } from './locks.ts';
import type { ToldNews } from './nodes/news.ts';

/** Answers a call within the transaction that its connection is in. */
export type Answer = (call: CallRequest, now: Moment) => Awaitable<Reply>;

export interface Committer {
  /**
   * Carries out a group of calls in one transaction. Their replies are in their order, and safely stored; what they have
   * touched and ended is told by then, in the whole cluster.
   */
  run(calls: readonly CallRequest[]): Promise<Reply[]>;
}

/** For others: whoever asked has an answer then, and nothing was done. */
const LONGEST_WAIT_MS = 15_000;

const IN_TURN = `SET LOCAL lock_timeout = ${LONGEST_WAIT_MS}; ${takingLock('changes')}`;

/** Of those who ask at the same time: so that no transaction keeps other nodes waiting for long. */
const MOST_TOGETHER = 100;
/** Of transactions that have met: how often one is begun. */
const MOST_TRIES = 5;

export interface CommitterDeps {
  /** What answers calls over a connection. */
  readonly answerOf: (connection: Connection) => Answer;
  /** Resolves once all who must know what a group has told do so. */
  readonly committed: (told: ToldNews) => Promise<void>;
  readonly onGroup?: OnGroup | undefined;
  /** Instead of the database's. */
  readonly clock?: Clock | undefined;
}

interface Changed {
  readonly replies: Reply[];
  /** Until all know of it who must. */
  readonly known: Promise<void> | null;
}
interface Done {
  readonly replies: Reply[];
  readonly told: ToldNews | null;
}

/**
 * Group commit, as with SQLite: one that throws (a bug) is undone alone; where the database cannot write, every writing
 * call of the group is refused and nothing of it remains.
 *
 * Groups that change something go one after the other in the whole cluster; what comes to this node meanwhile goes
 * together. A group that only reads sees one moment, and waits for nobody.
 */
export function createCommitter(
  connections: Connections,
  { answerOf, committed: tellAll, onGroup, clock }: CommitterDeps,
): Committer {
  /** One at a time: else a group would hold a connection while it waits for the one before it. */
  const change = inGroups<readonly CallRequest[], Changed>(MOST_TOGETHER, async (asked) => {
    const { replies, told } = await measured(asked.flat(), (calls) => committed('write', calls), onGroup);
    // The next group need not wait for those who have to know of this one.
    const known = told === null ? null : tellAll(told);
    const each = replies.values();
    return asked.map((calls) => ({ replies: calls.flatMap(() => each.next().value ?? []), known }));
  });

  async function run(calls: readonly CallRequest[]): Promise<Reply[]> {
    if (calls.length === 0) return [];
    if (calls.every(isRead)) return (await committed('read', calls)).replies;
    const { replies, known } = await change(calls);
    await known;
    return replies;
  }

  async function committed(kind: TransactionKind, calls: readonly CallRequest[]): Promise<Done> {
    try {
      return await carriedOut(kind, calls);
    } catch (error) {
      const refusal = errorReply(error);
      return { replies: kind === 'read' ? calls.map(() => refusal) : await readsOnly(calls, refusal), told: null };
    }
  }

  /** Calls that throw are rare: only when one has thrown, all begin again, each behind a savepoint of its own. */
  async function carriedOut(kind: TransactionKind, calls: readonly CallRequest[]): Promise<Done> {
    try {
      return await transaction(kind, calls, (_, answer) => answer());
    } catch (error) {
      if (unavailableReason(error) !== undefined) throw error;
      return transaction(kind, calls, answeredAlone);
    }
  }

  async function transaction(
    kind: TransactionKind,
    calls: readonly CallRequest[],
    around: (connection: Connection, answer: () => Awaitable<Reply>) => Awaitable<Reply>,
  ): Promise<Done> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await connections.transaction(
          kind,
          async (connection, nowMs) => {
            // The database's clock is both clocks.
            const now = clock === undefined ? { wallMs: nowMs, steadyMs: nowMs } : momentOf(clock);
            const answer = answerOf(connection);
            const replies = await oneByOne(calls, (call) => around(connection, () => answer(call, now)));
            return { replies, told: kind === 'read' ? null : await toldBy(connection, touchedBy(calls, replies)) };
          },
          kind === 'write' ? IN_TURN : '',
        );
      } catch (error) {
        if (!isCollision(error) || tries === MOST_TRIES) throw error;
      }
    }
  }

  /** The reads of a group that could not write: they saw what is now undone, so they are asked afresh. */
  async function readsOnly(calls: readonly CallRequest[], refusal: Reply): Promise<Reply[]> {
    const replies = await run(calls.filter(isRead));
    return calls.map((call) => (isRead(call) ? (replies.shift() ?? refusal) : refusal));
  }

  return { run };
}

async function toldBy({ ask }: Connection, topics: ToldNews['topics']): Promise<ToldNews> {
  const { rows } = await ask({ text: 'SELECT * FROM tell_news($1)', values: [topics] });
  const [told] = rows as readonly [{ newest_end: number | null; numbers: ToldNews['numbers'] | null }];
  return { topics, numbers: told.numbers ?? {}, newestEnd: told.newest_end };
}

async function answeredAlone(connection: Connection, answer: () => Awaitable<Reply>): Promise<Reply> {
  await connection.execute('SAVEPOINT here');
  try {
    const reply = await answer();
    await connection.execute('RELEASE here');
    return reply;
  } catch (error) {
    if (unavailableReason(error) !== undefined) throw error;
    await connection.execute('ROLLBACK TO here; RELEASE here');
    return bugReply(error);
  }
}

function isRead({ name }: CallRequest): boolean {
  return CALLS[name].reads === true;
}
