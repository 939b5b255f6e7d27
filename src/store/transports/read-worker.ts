/**
 * A thread beside the store's, for what takes long. It answers questions from committed data over a connection that
 * cannot write, and checkpoints the write-ahead log (checkpoints.ts).
 */
import { parentPort, workerData } from 'node:worker_threads';
import { momentOf, systemClock } from '../../process/clock.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { lowerThreadPriority } from '../../process/threads.ts';
import { databasePath } from '../data-folder.ts';
import { rights } from '../handlers/people/rights.ts';
import { advice } from '../handlers/suggestions.ts';
import { bugReply, type CallRequest, type Reply } from '../reply.ts';
import type { Awaitable } from '../sql.ts';
import { findDamage, loadSqlite, openReadOnly, openSecond } from '../sqlite/database.ts';
import { errorReply } from '../sqlite/errors.ts';
import { CHECK, CHECKPOINT, checkpointOf } from '../sqlite/files/checkpoints.ts';
import { type OpenFiles, openFiles } from '../sqlite/files/database-files.ts';
import { keyRights } from '../sqlite/key-rights.ts';
import { queueTime } from '../sqlite/queue-clock.ts';
import { sqlOver } from '../sqlite/sql.ts';
import { type ReadingSettings, readingHandlers } from './reading-handlers.ts';

if (parentPort) {
  lowerThreadPriority();
  serve(parentPort, workerData as ReaderData);
}

export type ReaderTask = CallRequest | typeof CHECKPOINT | typeof CHECK;

/** Begins by saying that SQLite is loaded. */
export type FromReader = Reply | { readonly kind: 'loaded' };

export interface ReaderData {
  readonly dataDir: string;
  /** Identities of the store's open files. */
  readonly identities: readonly (string | null)[];
  readonly settings: ReadingSettings;
  /** The anchor of the store's clock. */
  readonly anchorMs: number;
}

function serve(port: NonNullable<typeof parentPort>, data: ReaderData): void {
  const { dataDir, identities } = data;
  const files = openFiles(databasePath(dataDir), identities);
  const carryOut = (asked: ReaderTask): Promise<Reply> => {
    if (asked === CHECKPOINT) return checkpoint(dataDir, files);
    return asked === CHECK ? check(dataDir) : answer(asked, data);
  };
  loadSqlite();
  port.postMessage({ kind: 'loaded' } satisfies FromReader);
  port.on('message', async (asked: ReaderTask) => port.postMessage(await carryOut(asked)));
}

/**
 * Checkpoints the write-ahead log; pages needed by readers are left. A file that replaced the database must not get
 * this log: SQLite finds it by name.
 */
function checkpoint(dataDir: string, files: OpenFiles): Promise<Reply> {
  return unlessBroken(() => {
    const displaced = files.displaced();
    if (displaced !== null) return { kind: 'unavailable', reason: displaced };
    using db = openSecond(databasePath(dataDir));
    return { kind: 'answer', answer: checkpointOf(db, 'PASSIVE')() };
  });
}

/** Checks every page, but not whether each index has all of its entries: that would take many times as long. */
function check(dataDir: string): Promise<Reply> {
  return unlessBroken(() => {
    using db = openReadOnly(databasePath(dataDir));
    return { kind: 'answer', answer: findDamage(db, 'quick_check') };
  });
}

/**
 * Uses its own connection: nothing holds the write-ahead log between questions. Failing to open is a disk problem, as
 * for the committer.
 */
function answer({ name, args, actor }: CallRequest, { dataDir, settings, anchorMs }: ReaderData): Promise<Reply> {
  return unlessBroken(async () => {
    using db = openReadOnly(databasePath(dataDir));
    db.pragma('temp_store = MEMORY');
    const sql = sqlOver(db);
    const handlers = readingHandlers(db, settings);
    const handler = Object.entries(handlers).find(([handler]) => handler === name)?.[1];
    if (handler === undefined) return bugReply(`the reading thread does not know ${name}`);
    const now = momentOf(queueTime(db, systemClock(anchorMs)));
    const lost = actor === undefined ? null : await rights(sql, keyRights(db))(actor, now);
    if (lost !== null) return { kind: 'rights_lost', lost };
    return { kind: 'answer', answer: await advice(sql)(await handler(args as never, now, actor), actor) };
  });
}

async function unlessBroken(reply: () => Awaitable<Reply>): Promise<Reply> {
  try {
    return await reply();
  } catch (error) {
    return error instanceof OperatorProblem ? { kind: 'unavailable', reason: error.message } : errorReply(error);
  }
}
