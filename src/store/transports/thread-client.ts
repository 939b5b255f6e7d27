import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type SystemClock, systemClock } from '../../process/clock.ts';
import { entryUrl } from '../../process/entry-points.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { WORKER_HEAP_LIMITS } from '../../process/threads.ts';
import { type Reader, StoreUnavailable } from '../calls.ts';
import { clientOver, type Fault, type ServingStore } from '../client.ts';
import { type CallRequest, isLongRead, type Reply, unpack } from '../reply.ts';
import type { StoreOptions } from '../sqlite/engine.ts';
import { CHECK } from '../sqlite/files/checkpoints.ts';
import { CallLine, type CallLineOptions } from './call-line.ts';
import { slowlyRefused } from './long-reads.ts';
import { ReadWorkerClient } from './read-worker-client.ts';
import type { FromThread, Opening, ThreadData } from './thread.ts';

export type StoreThread = ServingStore & Opening;

export interface StoreThreadOptions extends StoreOptions, CallLineOptions {
  /** The server's clock, which stamps the store's calls. */
  readonly clock?: SystemClock;
  readonly module?: URL;
}

const THREAD = entryUrl('store/transports/thread');

/** Starts the store thread. Rejects with `OperatorProblem` if the data folder is unusable. */
export async function openStoreThread(options: StoreThreadOptions): Promise<StoreThread> {
  const { dataDir, settings, clock = systemClock(), module = THREAD } = options;
  const worker = new Worker(module, {
    workerData: { dataDir, settings, anchorMs: clock.anchorMs } satisfies ThreadData,
    argv: process.argv.slice(2),
    resourceLimits: WORKER_HEAP_LIMITS,
  });
  const { upgraded, isNew, wasKilled } = await opening(worker);
  const readWorker = new ReadWorkerClient(dataDir, { settings, clock });
  const line = new CallLine(worker, readWorker, options);
  // A separate thread: it may take minutes, and questions do not wait.
  const checker = new ReadWorkerClient(dataDir, { settings, clock });
  const askReadWorker = async (call: CallRequest, reader?: Reader): Promise<Reply> => {
    const reply = await slowlyRefused(readWorker.ask(call, reader));
    line.damage.seen(call, reply);
    return reply;
  };
  const client = clientOver({
    ask: (call, reader) => (reader !== undefined || isLongRead(call) ? askReadWorker(call, reader) : line.ask(call)),
    close: async () => void (await Promise.all([readWorker.close(), checker.close(), line.close()])),
  });
  return {
    ...client,
    upgraded,
    isNew,
    wasKilled,
    onTouched: (topic, listener) => line.listeners.onTouched(topic, listener),
    onRevocations: (listener) => line.listeners.onRevocations(listener),
    onDone: (listener) => line.listeners.onDone(listener),
    isAlive: () => client.ping({}).then(() => true, isOverloaded),
    fault: async () => displacedFault((await client.ping({})).displaced) ?? line.damage.fault,
    async check() {
      const damage = unpack(await checker.ask(CHECK)) as readonly string[];
      line.damage.found(damage);
      if (damage.length === 0) line.markWhole();
      return damage;
    },
    others: null,
  };
}

function displacedFault(reason: string | null): Fault | null {
  return reason === null ? null : { reason, isDamage: false, isLasting: false };
}

/** An overloaded thread is alive. */
function isOverloaded(error: unknown): boolean {
  return error instanceof StoreUnavailable && error.reason === 'overloaded';
}

async function opening(worker: Worker): Promise<Opening> {
  // A thread ending at once emits both in one turn: listening to them in sequence misses the second.
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  // Rejects with the thread's error.
  const [message] = (await once(worker, 'message')) as [FromThread];
  if (message.kind === 'open') return message;
  if (message.kind !== 'problem') throw new Error(`the store thread began with ${message.kind}`);
  await exited;
  throw new OperatorProblem(message.message, message.exitCode);
}
