import { Piscina } from 'piscina';
import { type ErrorTrace, withoutWords } from '../process/problem.ts';
import { LARGE_YOUNG_GENERATION } from '../process/threads.ts';
import type { OnEarly } from '../providers/provider.ts';
import { allAs, withDeadline } from '../providers/sending.ts';
import type { Batch, Route, Sent } from '../push.ts';
import type { Load } from './width.ts';
import type { FromThread, ThreadState, WorkerData } from './worker.ts';

/** A thread that needs more is broken, and is replaced. */
const MEMORY = { ...LARGE_YOUNG_GENERATION, maxOldGenerationSizeMb: 512 };
/** The time that closing its connections may take. */
const CLOSE_MS = 1_000;

export interface ThreadOptions {
  readonly worker: URL;
  /** The most batches that it may hold. */
  readonly batches: number;
  /** Called with exceptions and causes of death. */
  readonly onError: (error: ErrorTrace) => void;
  /** Called once it has died, before its batches are lost. */
  readonly onDeath: (thread: DeliveryThread) => void;
}

/** One thread with its own connections to the providers. */
export class DeliveryThread {
  readonly #piscina: Piscina<Batch, readonly Sent[]>;
  readonly #early = new Map<string, OnEarly>();
  readonly #onError: ThreadOptions['onError'];
  /** Rejects once it has died. */
  readonly #death: Promise<never>;
  #batches = 0;
  #usedAtMs = performance.now();
  #state: ThreadState = { connections: {}, load: { cpu: 0, busy: 0, fill: 0 } };
  #lastError: unknown = null;
  /** `ending`: on purpose, so causes of death are no errors. */
  #phase: 'running' | 'ending' | 'dead' = 'running';

  constructor(workerData: WorkerData, { worker, batches, onError, onDeath }: ThreadOptions) {
    this.#onError = onError;
    this.#piscina = new Piscina({
      filename: worker.href,
      workerData,
      // The first task starts it, and nothing starts another in its place.
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      resourceLimits: MEMORY,
      // One more than there are batches, so that a self-test never waits for a slow provider.
      concurrentTasksPerWorker: batches + 1,
      // Piscina's default blocks idle threads, and their connections.
      atomics: 'disabled',
      recordTiming: false,
    });
    const { promise, reject } = Promise.withResolvers<never>();
    this.#death = promise;
    promise.catch(() => {});
    this.#piscina.on('workerDestroy', () => {
      if (this.#phase === 'ending') return;
      this.#phase = 'dead';
      onDeath(this);
      // An error follows, if there is one.
      setImmediate(() => reject(new Error('the thread ended')));
    });
    // Emitted if it dies without batches.
    this.#piscina.on('error', (error) => {
      this.#lost(error);
      reject(error);
    });
    this.#piscina.on('message', (message: FromThread) => {
      if ('error' in message) onError(message.error);
      else if ('batchId' in message) this.#early.get(message.batchId)?.(message.answers);
      else this.#state = message;
    });
  }

  /** Batches in flight. */
  get batches(): number {
    return this.#batches;
  }

  get load(): Load {
    return this.#state.load;
  }

  /** The ms for which it has had no batch. */
  get idleMs(): number {
    return this.#batches > 0 ? 0 : performance.now() - this.#usedAtMs;
  }

  connections(route: Route): number {
    return this.#phase === 'dead' ? 0 : (this.#state.connections[route] ?? 0);
  }

  /** Returns whether it started in time. Rejects if its module fails to load. */
  start(deadlineMs: number): Promise<boolean> {
    return Promise.race([this.isAnswering(deadlineMs), this.#death]);
  }

  async isAnswering(deadlineMs: number): Promise<boolean> {
    if (this.#phase !== 'running') return false;
    return (await withDeadline(this.#ask('selfTest'), deadlineMs, () => null)) === 'ready';
  }

  /** Loses the batch if the thread dies. */
  async run(batch: Batch, onEarly?: OnEarly): Promise<readonly Sent[]> {
    if (onEarly) this.#early.set(batch.id, onEarly);
    this.#count(1);
    try {
      return await this.#piscina.run(batch);
    } catch (error) {
      this.#lost(error);
      return allAs(batch, 'worker_lost');
    } finally {
      this.#count(-1);
      this.#early.delete(batch.id);
    }
  }

  /** Closes its connections, unless batches are in flight, and ends it. */
  async end(): Promise<void> {
    const isIdle = this.#phase === 'running' && this.#batches === 0;
    this.#phase = 'ending';
    if (isIdle)
      await withDeadline(
        this.#ask('close').catch(() => null),
        CLOSE_MS,
        () => null,
      );
    await this.#piscina.destroy();
  }

  #ask(task: 'selfTest' | 'close'): Promise<unknown> {
    return this.#piscina.run({} as Batch, { name: task });
  }

  #count(by: 1 | -1): void {
    this.#batches += by;
    this.#usedAtMs = performance.now();
  }

  /** Reports the error of its death once, though it rejects all batches. */
  #lost(error: unknown): void {
    if (this.#phase === 'ending' || error === this.#lastError) return;
    this.#lastError = error;
    this.#onError(withoutWords(error));
  }
}
