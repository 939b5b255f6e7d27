/**
 * A thread beside the store's, for questions that take long: it looks at what is committed, over a connection that cannot
 * write, while the store thread goes on.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { momentOf, systemClock } from '../clock.ts';
import { OperatorProblem } from '../problem.ts';
import { openReadOnly } from './database.ts';
import { databasePath } from './folder.ts';
import { queueDepth } from './queue/depth.ts';
import { bugReply, type Call, type Reply } from './reply.ts';
import { rights } from './rights.ts';
import { errorReply } from './sqlite-errors.ts';
import { stats } from './stats.ts';
import { advice } from './suggestions.ts';

if (parentPort) serve(parentPort, (workerData as ReaderData).dataDir);

export interface ReaderData {
  readonly dataDir: string;
}

function serve(port: NonNullable<typeof parentPort>, dataDir: string): void {
  port.on('message', (call: Call) => port.postMessage(answer(call, dataDir)));
}

/**
 * With a connection of its own, so that between questions nothing holds the write-ahead log back. A database that cannot be
 * opened is a matter of the disk, as it is for the committer.
 */
function answer({ name, args, actor }: Call, dataDir: string): Reply {
  try {
    const db = openReadOnly(databasePath(dataDir));
    try {
      db.pragma('temp_store = MEMORY');
      const verb = Object.entries({ ...stats(db), ...queueDepth(db) }).find(([verb]) => verb === name)?.[1];
      if (verb === undefined) return bugReply(`the reading thread does not know ${name}`);
      const now = momentOf(systemClock());
      const lost = actor === undefined ? null : rights(db)(actor, now);
      if (lost !== null) return { kind: 'rights_lost', lost };
      return { kind: 'answer', answer: advice(db)(verb(args as never, now), actor) };
    } finally {
      db.close();
    }
  } catch (error) {
    return error instanceof OperatorProblem ? { kind: 'unavailable', reason: error.message } : errorReply(error);
  }
}
