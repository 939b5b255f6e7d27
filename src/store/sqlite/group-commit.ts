import type { Statement } from 'better-sqlite3';
import { type Clock, type Moment, momentOf, systemClock } from '../../process/clock.ts';
import type { Revocation } from '../calls.ts';
import { answering, type CallHooks, oneByOne } from '../handlers/answering.ts';
import type { CallHandlers } from '../handlers/handler.ts';
import { bugReply, type CallRequest, isRead, type Reply } from '../reply.ts';
import type { Awaitable } from '../sql.ts';
import { errorReply, unavailableReason } from './errors.ts';
import type { QueueClock } from './queue-clock.ts';
import type { Attempted, Db, TransactionHooks } from './transaction.ts';

const NO_REVOCATIONS: readonly Revocation[] = [];

export interface Committer {
  /**
   * Executes a group of calls in one transaction, after all earlier ones. Its replies, in order, are safely on disk.
   */
  run(calls: readonly CallRequest[]): Promise<Reply[]>;
  /** Uses the connection otherwise, never during a group. */
  betweenGroups<T>(work: () => T): Promise<T>;
}

/**
 * Group commit: a group's calls share one transaction and disk wait. A throwing call (a bug) is undone alone. If the
 * disk is full or broken, all writing calls are rejected without effect; the next group retries. A group has one time,
 * from `clock` at its start.
 *
 * Calls may await the database. Calls and groups use the connection strictly in sequence.
 */
export function createCommitter(
  db: Db,
  assemble: (hooks: TransactionHooks) => Partial<CallHandlers>,
  { clock = systemClock(), ...hooks }: CallHooks & { readonly clock?: Clock & Partial<QueueClock> } = {},
): Committer {
  const undoLog = new UndoLog();
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
      if (!onlyReads) clock.note?.(now);
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

  /** Answers an unwritable group's reads again: they saw undone changes. */
  async function readsAfresh(calls: readonly CallRequest[], refusal: Reply): Promise<Reply[]> {
    const replies = await commitGroup(calls.filter(isRead));
    return calls.map((call) => (isRead(call) ? (replies.shift() ?? refusal) : refusal));
  }

  /** Answers reads singly after a damaged page: others (`ping`) may not need it. */
  async function eachAlone(calls: readonly CallRequest[]): Promise<Reply[]> {
    const replies: Reply[] = [];
    for (const call of calls) replies.push(...(await commitGroup([call])));
    return replies;
  }

  /**
   * Throwing calls are rare: only after one do all begin again, each in a savepoint. None surrounds the group: SQLite
   * would keep each page's old version. Every statement that can fail half-way would go through these at its end, most
   * of a large transaction's time (`memjrnlTruncate`).
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

  async function attempt<T>(part: () => Awaitable<T>): Promise<Attempted<T>> {
    const undo = setSavepoint();
    try {
      const done = await part();
      release.run();
      return { done };
    } catch (error) {
      undo(error);
      return { error };
    }
  }

  /** Returns how to undo what follows; throws only if nothing can be written. */
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

/** Undoes the running group's changes in memory. */
class UndoLog {
  #undos: (() => void)[] = [];

  onRollback(undo: () => void): void {
    this.#undos.push(undo);
  }

  /** Later registrations are undone by `rollBack(mark)`. */
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
