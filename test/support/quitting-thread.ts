/**
 * Stands in for the reading thread: ends with the first question, by an error or, where the folder is called `quiet`,
 * without.
 */
import { parentPort, workerData } from 'node:worker_threads';

parentPort?.on('message', () => {
  if ((workerData as { dataDir: string }).dataDir === 'quiet') process.exit(0);
  throw new Error('the thread met its end');
});
