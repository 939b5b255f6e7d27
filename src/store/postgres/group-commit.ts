import { type Clock, type Moment, momentOf, within } from '../../clock.ts';
import { CALLS } from '../calls.ts';
import { oneByOne } from '../handlers/answering.ts';
import { bugReply, type CallRequest, isLongRead, isRead, type Reply, readsAfresh, touchedBy } from '../reply.ts';
import type { Awaitable } from '../sql.ts';
import type { Connection, Connections, TransactionKind } from './connections.ts';
import { errorReply, retryingConflicts, unavailableReason } from './errors.ts';
import { inGroups, measured, type OnGroup } from './in-groups.ts';
import { beforeEvents, beforeLists } from './lists.ts';
import { takingLock } from './locks.ts';
import type { CommittedChanges } from './nodes/changes.ts';

/** Answers a call within the transaction that its connection is in. */
export type Answer = (call: CallRequest, now: Moment) => Awaitable<Reply>;

export interface Committer {
  /**
   * Carries out a group of calls in one transaction. Their replies are in their order, and safely stored; what they have
   * touched and revoked is announced by then, in the whole cluster.
   */
  run(calls: readonly CallRequest[]): Promise<Reply[]>;
}

/** It may still be carried out. */
export const TOO_LATE: Reply = { kind: 'unavailable', reason: 'the database does not answer', mayBeDone: true };

const IN_TURN = takingLock('changes');

/** Of those who ask at the same time: so that no transaction keeps other nodes waiting for long. */
const MOST_TOGETHER = 100;

export interface CommitterDeps {
  /** What answers calls over a connection. */
  readonly answerOf: (connection: Connection) => Answer;
  /** Resolves once all nodes that must know of a group's changes do. */
  readonly committed: (changes: CommittedChanges) => Promise<void>;
  readonly onGroup?: OnGroup | undefined;
  /** By then the caller has an answer, also where the database gives none. */
  readonly answerWithinMs: number;
  /** Instead of the database's. */
  readonly clock?: Clock | undefined;
}

interface Asked {
  readonly calls: readonly CallRequest[];
  /** The caller has an answer then: nothing is begun after that. */
  readonly untilMs: number;
}
interface Changed {
  readonly replies: Reply[];
  /** Until all know of it who must. */
  readonly known: Promise<void> | null;
}
interface Done {
  readonly replies: Reply[];
  readonly changes: CommittedChanges | null;
}

/**
 * Group commit, as with SQLite: one that throws (a bug) is undone alone; where the database cannot write, every writing
 * call of the group is refused and nothing of it remains.
 *
 * Groups that change something go one after the other in the whole cluster; what comes to this node meanwhile goes
 * together. A group that only reads sees one moment, and waits for no other.
 */
export function createCommitter(
  connections: Connections,
  { answerOf, committed: notifyAll, onGroup, answerWithinMs, clock }: CommitterDeps,
): Committer {
  /** One at a time: else a group would hold a connection while it waits for the one before it. */
  const change = inGroups<Asked, Changed>(MOST_TOGETHER, async (all) => {
    const asked = all.filter(({ untilMs }) => performance.now() < untilMs).map(({ calls }) => calls);
    const { replies, changes } = await measured(
      asked.flat(),
      (calls) => committed(calls.some(isLong) ? 'long write' : 'write', calls),
      onGroup,
    );
    // The next group need not wait for those who have to know of this one.
    const known = changes === null ? null : notifyAll(changes);
    const each = replies.values();
    return all.map(({ calls }) => {
      const isDone = asked.includes(calls);
      return { replies: isDone ? calls.flatMap(() => each.next().value ?? []) : late(calls), known };
    });
  });

  async function run(calls: readonly CallRequest[]): Promise<Reply[]> {
    if (calls.length === 0) return [];
    if (calls.every(isRead)) {
      if (calls.some(isLongRead)) return (await committed('long read', calls)).replies;
      return within(
        answerWithinMs,
        committed('read', calls).then(({ replies }) => replies),
        late(calls),
      );
    }
    const isSoon = !calls.some(isLong);
    const changing = change({ calls, untilMs: isSoon ? performance.now() + answerWithinMs : Number.POSITIVE_INFINITY });
    const tooLate = { replies: late(calls), known: null };
    const { replies, known } = isSoon ? await within(answerWithinMs, changing, tooLate) : await changing;
    await known;
    return replies;
  }

  async function committed(kind: TransactionKind, calls: readonly CallRequest[]): Promise<Done> {
    try {
      return await carriedOut(kind, calls);
    } catch (error) {
      const refusal = errorReply(error);
      return {
        replies: isWrite(kind) ? await readsAfresh(calls, refusal, run) : calls.map(() => refusal),
        changes: null,
      };
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
    return retryingConflicts(() =>
      connections.transaction(
        kind,
        async (connection, nowMs) => {
          // The database's clock is both clocks.
          const now = clock === undefined ? { wallMs: nowMs, steadyMs: nowMs } : momentOf(clock);
          const answer = answerOf(connection);
          const replies = await oneByOne(calls, (call) => around(connection, () => answer(call, now)));
          return { replies, changes: isWrite(kind) ? await changesBy(connection, calls, replies) : null };
        },
        isWrite(kind)
          ? { first: [IN_TURN, beforeLists(calls), beforeEvents(calls)].join(';') }
          : { before: beforeLists(calls) },
      ),
    );
  }

  return { run };
}

const NOTIFY_NODES = `
  SELECT notified.numbers, coalesce(notified.newest_end, CASE WHEN $2 THEN (SELECT max(id) FROM told_end) END) AS newest_end
  FROM tell_news($1) AS notified`;

/** `newestRevocation`: of those that some node has not confirmed, also of an earlier change. */
async function changesBy(
  { ask }: Connection,
  calls: readonly CallRequest[],
  replies: readonly Reply[],
): Promise<CommittedChanges> {
  const topics = touchedBy(calls, replies);
  const mayRevoke = calls.some(({ name }) => CALLS[name].mayRevoke === true);
  const { rows } = await ask({ text: NOTIFY_NODES, values: [topics, mayRevoke] });
  const [row] = rows as readonly [{ newest_end: number | null; numbers: CommittedChanges['numbers'] | null }];
  return { topics, numbers: row.numbers ?? {}, newestRevocation: row.newest_end };
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

function late(calls: readonly CallRequest[]): Reply[] {
  return calls.map(() => TOO_LATE);
}

function isWrite(kind: TransactionKind): boolean {
  return kind === 'write' || kind === 'long write';
}

/** No caller waits for its answer at once. */
function isLong({ name }: CallRequest): boolean {
  return CALLS[name].isStep === true || CALLS[name].carriesOut === true;
}
