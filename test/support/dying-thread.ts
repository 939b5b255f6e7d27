/** Stands in for the store thread: opens, and dies with the first calls that it gets. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => {
  throw new Error('the thread met its end');
});
parentPort?.postMessage({ kind: 'open' });
