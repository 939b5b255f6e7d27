import type { Statement } from 'better-sqlite3';
import { type Clock, type Moment, momentOf, systemClock } from '../../clock.ts';
import { CALLS } from '../call-metadata.ts';
import type { Actor, CallName, End } from '../calls.ts';
import { bugReply, type Call, type Reply } from '../carriers/reply.ts';
import type { Rights } from '../verbs/people/rights.ts';
import { errorReply, unavailableReason } from './errors.ts';
import type { Attempted, Db, Handlers, TransactionHooks } from './transaction.ts';

export interface Committer {
  /** Carries out a group of calls in one transaction. Their replies, in their order, are safely on the disk. */
  run(calls: readonly Call[]): Reply[];
}

export interface Oversight {
  /** Looked at before each call that is in somebody's name, in the same transaction. */
  readonly rights?: Rights;
  /** Sees each call with its answer, in the same transaction. */
  readonly record?: (call: Call, answer: unknown, now: Moment) => void;
  /** Completes an answer by what may help the one who asked. */
  readonly advise?: (answer: unknown, actor: Actor | undefined) => unknown;
  readonly clock?: Clock;
}

/**
 * Group commit: all calls of a group share one transaction, and so one wait for the disk. One that throws (a bug) is
 * undone alone. Where the disk is full or broken, every writing call of the group is refused and nothing of the group
 * remains; the next group tries again. All of a group happens at one time, which is taken from `clock` as it begins.
 */
export function createCommitter(
  db: Db,
  assemble: (hooks: TransactionHooks) => Partial<Handlers<CallName>>,
  { rights = () => null, record = () => {}, advise = (answer) => answer, clock = systemClock() }: Oversight = {},
): Committer {
  const undoLog = new UndoLog();
  /** Of the call under way. */
  let ends: End[] = [];
  const handlers = assemble({
    onRollback: (back) => undoLog.onRollback(back),
    onCommit: (done) => undoLog.onCommit(done),
    tellEnd: (end) => void ends.push(end),
    attempt,
  });
  const beginRead = db.prepare('BEGIN');
  const beginWrite = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const savepoint = db.prepare('SAVEPOINT here');
  const release = db.prepare('RELEASE here');
  const undo = db.prepare('ROLLBACK TO here');

  function run(calls: readonly Call[]): Reply[] {
    if (calls.length === 0) return [];
    const onlyReads = calls.every(isRead);
    const now = momentOf(clock);
    const begin = onlyReads ? beginRead : beginWrite;
    let replies: Reply[];
    try {
      begin.run();
      replies = answerTogether(calls, now, begin);
      commit.run();
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      undoLog.rollBack();
      const refusal = errorReply(error);
      return onlyReads ? calls.map(() => refusal) : readsOnly(calls, refusal);
    }
    undoLog.committed();
    return replies;
  }

  /**
   * Calls that throw are rare: only when one has thrown, all begin again, each behind a savepoint of its own. Around
   * the whole group there is none: SQLite would keep each page as it was before it, and go through all that is kept at
   * the end of every statement that can fail half-way, which is most of the time of a large transaction
   * (`memjrnlTruncate`).
   */
  function answerTogether(calls: readonly Call[], now: Moment, begin: Statement): Reply[] {
    try {
      return calls.map((call) => answer(call, now));
    } catch (error) {
      if (unavailableReason(error) !== undefined) throw error;
      db.exec('ROLLBACK');
      undoLog.rollBack();
      begin.run();
      return calls.map((call) => answerAlone(call, now));
    }
  }

  function answerAlone(call: Call, now: Moment): Reply {
    const attempted = attempt(() => answer(call, now));
    return 'done' in attempted ? attempted.done : bugReply(attempted.error);
  }

  /** Behind a savepoint. Throws only where nothing can be written at all. */
  function attempt<T>(part: () => T): Attempted<T> {
    const mark = undoLog.mark();
    const told = ends.length;
    savepoint.run();
    try {
      const done = part();
      release.run();
      return { done };
    } catch (error) {
      if (unavailableReason(error) !== undefined) throw error;
      undo.run();
      release.run();
      undoLog.rollBack(mark);
      ends.length = told;
      return { error };
    }
  }

  function answer(call: Call, now: Moment): Reply {
    const { name, args, actor } = call;
    const handler = handlers[name] as ((args: unknown, now: Moment) => unknown) | undefined;
    if (!handler) throw new Error(`no handler for ${name}`);
    const lost = actor === undefined ? null : rights(actor, now);
    if (lost !== null) return { kind: 'rights_lost', lost };
    ends = [];
    const answered = handler(args, now);
    record(call, answered, now);
    const answer = advise(answered, actor);
    return ends.length === 0 ? { kind: 'answer', answer } : { kind: 'answer', answer, ends };
  }

  /** The reads of a group that could not write: they saw what is now undone, so they are asked afresh. */
  function readsOnly(calls: readonly Call[], refusal: Reply): Reply[] {
    const replies = run(calls.filter(isRead));
    return calls.map((call) => (isRead(call) ? (replies.shift() ?? refusal) : refusal));
  }

  return { run };
}

function isRead({ name }: Call): boolean {
  return CALLS[name].reads === true;
}

/** What the calls of the group under way do once it is on the disk, or when it is undone. */
class UndoLog {
  #undos: (() => void)[] = [];
  #dones: (() => void)[] = [];

  onRollback(undo: () => void): void {
    this.#undos.push(undo);
  }

  onCommit(done: () => void): void {
    this.#dones.push(done);
  }

  mark(): Mark {
    return { undos: this.#undos.length, dones: this.#dones.length };
  }

  rollBack(mark: Mark = { undos: 0, dones: 0 }): void {
    this.#dones.length = mark.dones;
    for (const undo of this.#undos.splice(mark.undos).reverse()) undo();
  }

  committed(): void {
    this.#undos = [];
    for (const done of this.#dones.splice(0)) done();
  }
}

interface Mark {
  readonly undos: number;
  readonly dones: number;
}
