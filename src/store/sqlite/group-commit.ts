import type { Statement } from 'better-sqlite3';
import { type Clock, type Moment, momentOf, systemClock } from '../../process/clock.ts';
import type { Revocation } from '../calls.ts';
import { answering, type CallHooks, oneByOne } from '../handlers/answering.ts';
import type { CallHandlers } from '../handlers/handler.ts';
import { bugReply, type CallRequest, isRead, type Reply } from '../reply.ts';
import type { Awaitable } from '../sql.ts';
import { errorReply, unavailableReason } from './errors.ts';
import type { Attempted, Db, TransactionHooks } from './transaction.ts';

const NO_REVOCATIONS: readonly Revocation[] = [];

export interface Committer {
  /**
   * Carries out a group of calls in one transaction, after all groups before it. Their replies, in their order, are
   * safely on the disk.
   */
  run(calls: readonly CallRequest[]): Promise<Reply[]>;
  /** Does something else with the connection: never while a group is under way. */
  betweenGroups<T>(work: () => T): Promise<T>;
}

/**
 * Group commit: all calls of a group share one transaction, and so one wait for the disk. One that throws (a bug) is
 * undone alone. Where the disk is full or broken, every writing call of the group is refused and nothing of the group
 * remains; the next group tries again. All of a group happens at one time, which is taken from `clock` as it begins.
 *
 * A call may await what it asks the database. Until it has answered, nothing else uses the connection: calls go one
 * after the other, and so do groups.
 */
export function createCommitter(
  db: Db,
  assemble: (hooks: TransactionHooks) => Partial<CallHandlers>,
  { clock = systemClock(), ...hooks }: CallHooks & { readonly clock?: Clock } = {},
): Committer {
  const undoLog = new UndoLog();
  /** The revocations that the running call has reported. */
  const revocations: Revocation[] = [];
  const handlers = assemble({
    onRollback: (back) => undoLog.onRollback(back),
    reportRevocation: (revocation) => void revocations.push(revocation),
    attempt,
  });
  const answer = answering(handlers, {
    ...hooks,
    takeRevocations: () => (revocations.length === 0 ? NO_REVOCATIONS : revocations.splice(0)),
  });
  const beginRead = db.prepare('BEGIN');
  const beginWrite = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const savepoint = db.prepare('SAVEPOINT here');
  const release = db.prepare('RELEASE here');
  const rollBackToSavepoint = db.prepare('ROLLBACK TO here');

  let last: Promise<unknown> = Promise.resolve();

  function betweenGroups<T>(work: () => Awaitable<T>): Promise<T> {
    const asked = last.then(work);
    last = asked.catch(() => {});
    return asked;
  }

  async function commitGroup(calls: readonly CallRequest[]): Promise<Reply[]> {
    if (calls.length === 0) return [];
    const onlyReads = calls.every(isRead);
    const now = momentOf(clock);
    const begin = onlyReads ? beginRead : beginWrite;
    let replies: Reply[];
    try {
      begin.run();
      replies = await answerTogether(calls, now, begin);
      commit.run();
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      undoLog.rollBack();
      revocations.length = 0;
      const refusal = errorReply(error);
      if (!onlyReads) return readsAfresh(calls, refusal);
      return isDamage(refusal) && calls.length > 1 ? eachAlone(calls) : calls.map(() => refusal);
    }
    undoLog.committed();
    return replies;
  }

  /** The replies of a group that could not write: its reads saw what is now undone. */
  async function readsAfresh(calls: readonly CallRequest[], refusal: Reply): Promise<Reply[]> {
    const replies = await commitGroup(calls.filter(isRead));
    return calls.map((call) => (isRead(call) ? (replies.shift() ?? refusal) : refusal));
  }

  /** The replies of reads, of which one met a damaged page: the others, such as `ping`, may need no such page. */
  async function eachAlone(calls: readonly CallRequest[]): Promise<Reply[]> {
    const replies: Reply[] = [];
    for (const call of calls) replies.push(...(await commitGroup([call])));
    return replies;
  }

  /**
   * Calls that throw are rare: only when one has thrown, all begin again, each behind a savepoint of its own. Around
   * the whole group there is none: SQLite would keep each page as it was before it, and go through all that is kept at
   * the end of every statement that can fail half-way, which is most of the time of a large transaction
   * (`memjrnlTruncate`).
   */
  async function answerTogether(calls: readonly CallRequest[], now: Moment, begin: Statement): Promise<Reply[]> {
    try {
      return await oneByOne(calls, (call) => answer(call, now));
    } catch (error) {
      if (unavailableReason(error) !== undefined) throw error;
      db.exec('ROLLBACK');
      undoLog.rollBack();
      revocations.length = 0;
      begin.run();
      return oneByOne(calls, (call) => answerAlone(call, now));
    }
  }

  async function answerAlone(call: CallRequest, now: Moment): Promise<Reply> {
    const undo = setSavepoint();
    try {
      const reply = await answer(call, now);
      release.run();
      return reply;
    } catch (error) {
      undo(error);
      return bugReply(error);
    }
  }

  function attempt<T>(part: () => T): Attempted<T> {
    const undo = setSavepoint();
    try {
      const done = part();
      release.run();
      return { done };
    } catch (error) {
      undo(error);
      return { error };
    }
  }

  /** Returns how to undo what follows. That throws only where nothing can be written at all. */
  function setSavepoint(): (error: unknown) => void {
    const mark = undoLog.mark();
    const before = revocations.length;
    savepoint.run();
    return (error) => {
      if (unavailableReason(error) !== undefined) throw error;
      rollBackToSavepoint.run();
      release.run();
      undoLog.rollBack(mark);
      revocations.length = before;
    };
  }

  return { run: (calls) => betweenGroups(() => commitGroup(calls)), betweenGroups };
}

function isDamage(reply: Reply): boolean {
  return reply.kind === 'unavailable' && reply.damage !== undefined;
}

/** How to undo what the calls of the running group changed in memory. */
class UndoLog {
  #undos: (() => void)[] = [];

  onRollback(undo: () => void): void {
    this.#undos.push(undo);
  }

  /** Everything registered from now on can be undone by `rollBack(mark)`. */
  mark(): number {
    return this.#undos.length;
  }

  rollBack(mark = 0): void {
    for (const undo of this.#undos.splice(mark).reverse()) undo();
  }

  committed(): void {
    this.#undos = [];
  }
}
