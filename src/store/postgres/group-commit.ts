import { type Clock, type Moment, momentOf, within } from '../../process/clock.ts';
import { inGroups, measured, type OnGroup } from '../../values/in-groups.ts';
import { CALLS } from '../calls.ts';
import { oneByOne } from '../handlers/answering.ts';
import { bugReply, type CallRequest, isLongRead, isRead, type Reply, touchedBy } from '../reply.ts';
import type { Awaitable } from '../sql.ts';
import type { Connection, Connections, TransactionKind } from './connections.ts';
import { errorReply, retryingConflicts, unavailableReason } from './errors.ts';
import { beforeEvents, beforeLists } from './lists.ts';
import { takingLock } from './locks.ts';
import type { CommittedChanges } from './nodes/changes.ts';
import { NOW_MS, QUEUE_MS } from './sql.ts';

/** Answers a call in its connection's transaction. */
export type Answer = (call: CallRequest, now: Moment) => Awaitable<Reply>;

interface Committer {
  /**
   * Executes a call in a transaction, with others that arrived meanwhile. When it resolves, its changes are safely
   * stored, and the whole cluster knows what was touched and revoked.
   */
  answer(call: CallRequest): Promise<Reply>;
}

/** The reply to a call that may still be executed. */
export const TOO_LATE: Reply = { kind: 'unavailable', reason: 'the database does not answer', mayBeDone: true };
const LATE: Outcome = { reply: TOO_LATE, known: null };

const IN_TURN = takingLock('changes');

const CLOCK = `
  ${NOW_MS} AS "wallMs", ${QUEUE_MS} AS "steadyMs", vouched_time() < ${QUEUE_MS} - 1000 AS "isDoubted"`;

/** The largest group of changes: no transaction delays other nodes for long. */
const MOST_CHANGES = 100;
/** The largest group of reads per transaction, which takes longer than most reads. */
const MOST_READS = 20;
const READING_AT_ONCE = 3;

interface CommitterDeps {
  /** Returns how to answer calls over a connection. */
  readonly answerOf: (connection: Connection) => Answer;
  /** Resolves once all nodes that must know the changes do. */
  readonly committed: (changes: CommittedChanges) => Promise<void>;
  /** Called when a group of changes is committed, or has failed. Some calls in it may have failed alone. */
  readonly onEnd?: (error?: unknown) => void;
  readonly onGroup?: OnGroup | undefined;
  /** A caller's longest wait in ms, even without the database's answer. */
  readonly answerWithinMs: number;
  /** Replaces the database's clock. */
  readonly clock?: Clock | undefined;
  /** Counts a jump of the database's clock; null: this process is no node. */
  readonly checkClock: (() => Promise<void>) | null;
}

interface Asked {
  readonly call: CallRequest;
  /** The caller's deadline. No call begins after it. */
  readonly untilMs: number;
}
interface Outcome {
  readonly reply: Reply;
  /** Resolves once all nodes that must know the changes do. */
  readonly known: Promise<void> | null;
}
interface Done {
  readonly replies: readonly Reply[];
  readonly changes: CommittedChanges | null;
}

/**
 * Commits calls in groups, as with SQLite. Throwing calls (bugs) are rolled back alone. If the database cannot write, a
 * group's calls are rejected without effect.
 *
 * In the whole cluster, one group of changes runs at a time. Calls reaching this node meanwhile form its next group. A
 * group of reads sees one snapshot, and waits for no change.
 */
export function createCommitter(
  connections: Connections,
  { answerOf, committed: notifyAll, onEnd = () => {}, onGroup, answerWithinMs, clock, checkClock }: CommitterDeps,
): Committer {
  /** One group at a time: otherwise it would hold a connection while waiting. */
  const change = inGroups<Asked, Outcome>(MOST_CHANGES, (group) =>
    outcomes(group.some(isLong) ? 'long write' : 'write', group),
  );
  const read = inGroups<Asked, Outcome>(MOST_READS, (group) => outcomes('read', group), READING_AT_ONCE);

  async function answer(call: CallRequest): Promise<Reply> {
    const { reply, known } = await outcomeOf(call);
    await known;
    return reply;
  }

  async function outcomeOf(call: CallRequest): Promise<Outcome> {
    const patient = { call, untilMs: Number.POSITIVE_INFINITY };
    if (isLongRead(call)) return (await outcomes('long read', [patient]))[0] ?? LATE;
    if (isLong(patient)) return change(patient);
    const asked = { call, untilMs: performance.now() + answerWithinMs };
    return within(answerWithinMs, isRead(call) ? read(asked) : change(asked), LATE);
  }

  async function outcomes(kind: TransactionKind, group: readonly Asked[]): Promise<readonly Outcome[]> {
    const inTime = group.filter(({ untilMs }) => performance.now() < untilMs);
    if (inTime.length === 0) return group.map(() => LATE);
    const { replies, changes } = await measured(
      inTime.map(({ call }) => call),
      (calls) => committed(kind, calls),
      isWrite(kind) ? onGroup : undefined,
    );
    // The next group does not wait until other nodes know this one.
    const known = changes === null ? null : notifyAll(changes);
    return group.map((asked) => ({ reply: replies[inTime.indexOf(asked)] ?? TOO_LATE, known }));
  }

  async function committed(kind: TransactionKind, calls: readonly CallRequest[]): Promise<Done> {
    try {
      const done = await carryOut(kind, calls);
      if (isWrite(kind)) onEnd(done.replies.find((reply) => reply.kind === 'bug'));
      return done;
    } catch (error) {
      if (isWrite(kind)) onEnd(error);
      const refusal = errorReply(error);
      return { replies: calls.map(() => refusal), changes: null };
    }
  }

  /** Calls rarely throw. Only after one did, all rerun in savepoints. */
  async function carryOut(kind: TransactionKind, calls: readonly CallRequest[]): Promise<Done> {
    try {
      return await transaction(kind, calls, (_, answer) => answer());
    } catch (error) {
      if (unavailableReason(error) !== undefined) throw error;
      return transaction(kind, calls, answerAlone);
    }
  }

  async function transaction(
    kind: TransactionKind,
    calls: readonly CallRequest[],
    wrap: (connection: Connection, answer: () => Awaitable<Reply>) => Awaitable<Reply>,
  ): Promise<Done> {
    const done = await transactionOnce(kind, calls, wrap, checkClock !== null);
    if (done !== null) return done;
    await checkClock?.();
    return (await transactionOnce(kind, calls, wrap, false)) as Done;
  }

  /** Returns null, and does nothing, if the clock must be checked before. */
  async function transactionOnce(
    kind: TransactionKind,
    calls: readonly CallRequest[],
    wrap: (connection: Connection, answer: () => Awaitable<Reply>) => Awaitable<Reply>,
    canCheck: boolean,
  ): Promise<Done | null> {
    const asked = clock === undefined && { clock: CLOCK };
    return retryingConflicts(() =>
      connections.transaction<Done | null>(
        kind,
        async (connection, { wallMs, steadyMs = wallMs, isDoubted }) => {
          if (isDoubted && canCheck) return null;
          const now = clock === undefined ? { wallMs, steadyMs } : momentOf(clock);
          const answer = answerOf(connection);
          const replies = await oneByOne(calls, (call) => wrap(connection, () => answer(call, now)));
          return { replies, changes: isWrite(kind) ? await changesBy(connection, calls, replies) : null };
        },
        isWrite(kind)
          ? { first: [IN_TURN, beforeLists(calls), beforeEvents(calls)].join(';'), ...asked }
          : { before: beforeLists(calls), ...asked },
      ),
    );
  }

  return { answer };
}

const NOTIFY_NODES = `
  SELECT notified.numbers, coalesce(notified.newest_revocation, CASE WHEN $2 THEN (SELECT max(id) FROM revocation) END) AS newest_revocation
  FROM record_changes($1) AS notified`;

/** Records the changes. `newestRevocation`: the newest unconfirmed one, even of an earlier change. */
async function changesBy(
  { ask }: Connection,
  calls: readonly CallRequest[],
  replies: readonly Reply[],
): Promise<CommittedChanges> {
  const topics = touchedBy(calls, replies);
  const canRevoke = calls.some(({ name }) => CALLS[name].canRevoke === true);
  const { rows } = await ask({ text: NOTIFY_NODES, values: [topics, canRevoke] });
  const [row] = rows as readonly [{ newest_revocation: number | null; numbers: CommittedChanges['numbers'] | null }];
  return { topics, numbers: row.numbers ?? {}, newestRevocation: row.newest_revocation };
}

async function answerAlone(connection: Connection, answer: () => Awaitable<Reply>): Promise<Reply> {
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

function isWrite(kind: TransactionKind): boolean {
  return kind === 'write' || kind === 'long write';
}

/** Whether nobody waits for the answer. */
function isLong({ call: { name } }: Asked): boolean {
  return CALLS[name].isStep === true || CALLS[name].isFollowUp === true;
}
