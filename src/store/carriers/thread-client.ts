import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type SystemClock, systemClock } from '../../clock.ts';
import { WORKER_HEAP_LIMITS } from '../../garbage-collection.ts';
import { OperatorProblem } from '../../problem.ts';
import { StoreUnavailable } from '../calls.ts';
import type { ServingStore } from '../serving-store.ts';
import type { StoreOptions } from '../sqlite/engine.ts';
import { CallLine, type CallLineOptions } from './call-line.ts';
import { isLongRead } from './long-reads.ts';
import { ReadWorkerClient } from './read-worker-client.ts';
import { clientOver } from './reply.ts';
import type { FromThread, Opening, ThreadData } from './thread.ts';

export type StoreThread = ServingStore & Opening;

export interface StoreThreadOptions extends StoreOptions, CallLineOptions {
  /** The clock of the server, by which the store stamps what it is asked. */
  readonly clock?: SystemClock;
  /** The module that the thread runs. */
  readonly module?: URL;
}

const THREAD = new URL('./thread.js', import.meta.url);

/** Starts the store thread. Rejects with an `OperatorProblem` where the data folder cannot be used. */
export async function openStoreThread(options: StoreThreadOptions): Promise<StoreThread> {
  const { dataDir, settings, clock = systemClock(), module = THREAD } = options;
  const worker = new Worker(module, {
    workerData: { dataDir, settings, anchorMs: clock.anchorMs } satisfies ThreadData,
    argv: process.argv.slice(2),
    resourceLimits: WORKER_HEAP_LIMITS,
  });
  const { upgraded, isNew } = await opening(worker);
  const beside = new ReadWorkerClient(dataDir);
  const line = new CallLine(worker, beside, options);
  const client = clientOver(
    (call) => (isLongRead(call) ? beside : line).ask(call),
    async () => void (await Promise.all([beside.close(), line.close()])),
  );
  return {
    ...client,
    upgraded,
    isNew,
    onTouched: (topic, listener) => line.listeners.onTouched(topic, listener),
    onEnds: (listener) => line.listeners.onEnds(listener),
    onDone: (listener) => line.listeners.onDone(listener),
    isAlive: () => client.ping({}).then(() => true, isOverloaded),
    fault: async () => (await client.ping({})).displaced,
    others: null,
  };
}

/** Whoever has too much to do is alive. */
function isOverloaded(error: unknown): boolean {
  return error instanceof StoreUnavailable && error.reason === 'overloaded';
}

async function opening(worker: Worker): Promise<Opening> {
  // A thread that ends at once emits both in one turn: whoever listens for the second after the first has missed it.
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  // Rejects with what the thread threw, if it threw.
  const [message] = (await once(worker, 'message')) as [FromThread];
  if (message.kind === 'open') return message;
  if (message.kind !== 'problem') throw new Error(`the store thread began with ${message.kind}`);
  await exited;
  throw new OperatorProblem(message.message, message.exitCode);
}
