import { Piscina } from 'piscina';
import { systemClock } from '../process/clock.ts';
import { entryUrl } from '../process/entry-points.ts';
import { type ErrorTrace, OperatorProblem, withoutWords } from '../process/problem.ts';
import { WORKER_HEAP_LIMITS } from '../process/threads.ts';
import type { OnEarly, SendLimits } from '../providers/provider.ts';
import { allAs, withDeadline } from '../providers/sending.ts';
import { newDeskName, openTokenDesk } from '../providers/signing/token-desk.ts';
import { TokenKeeper, type Tokens } from '../providers/signing/tokens.ts';
import type { ProviderSettings } from '../providers/table.ts';
import type { Batch, Route, Sent } from '../push.ts';
import { BATCHES_A_THREAD } from './limits.ts';
import type { ByRoute, FromThread, WorkerData } from './worker.ts';

export interface Pool {
  /**
   * Sends a batch once, and resolves with an outcome per target. `onEarly` gets those known before slow ones, also in
   * the result. Never rejects: a lost thread is an outcome.
   */
  send(batch: Batch, onEarly?: OnEarly): Promise<readonly Sent[]>;
  /**
   * Replaces the threads by some with these settings; batches in flight end on the old ones. Rejects, changing nothing,
   * if the new threads do not start.
   */
  reload(settings: ProviderSettings): Promise<void>;
  /** Tells whether a thread answers, starting new ones if none is left. */
  isAlive(): Promise<boolean>;
  /** Waits for starting threads, and at most `graceMs` (absent: without limit) for batches in flight. */
  close(graceMs?: number): Promise<void>;
  /** Open connections to the route's provider, over all threads, as of half a second ago. */
  connections(route: Route): number;
  readonly stats: PoolStats;
}

interface PoolStats {
  readonly threads: number;
  /** Batches in flight that need not wait for a thread. */
  readonly capacity: number;
  readonly inFlight: number;
}

export interface PoolOptions {
  readonly settings: ProviderSettings;
  readonly threads: number;
  /** Signs for all threads; absent: the pool's own. */
  readonly tokens?: Tokens;
  /** Replaces the providers' own limits. Used by tests only. */
  readonly limits?: Partial<SendLimits>;
  /** The time after which a batch is given up, its outcomes unknown, and the threads are replaced. */
  readonly deadlineMs?: number;
  /** After this time the first threads are given up if none answered. */
  readonly startDeadlineMs?: number;
  readonly worker?: URL;
  /** Called with threads' exceptions and causes of death. */
  readonly onError?: (error: ErrorTrace) => void;
}

/** The deadline for threads that hang; other batches end within twice the deadline of a send. */
const DEADLINE_MS = 90_000;
/** Loading providers' libraries takes a second, far longer under load. */
const START_DEADLINE_MS = 90_000;
const ANSWER_DEADLINE_MS = 20_000;
/** A thread that needs more is broken, and is replaced. */
const MEMORY = { ...WORKER_HEAP_LIMITS, maxOldGenerationSizeMb: 512 };

/** Rejects if the threads do not start. */
export async function openPool(options: PoolOptions): Promise<Pool> {
  const {
    threads,
    deadlineMs = DEADLINE_MS,
    limits = {},
    worker = entryUrl('delivery/worker'),
    onError = () => {},
    tokens = new TokenKeeper(systemClock()),
  } = options;
  const desk = newDeskName();
  const closeDesk = openTokenDesk(desk, tokens);
  const { startDeadlineMs = START_DEADLINE_MS } = options;
  const start = (now: ProviderSettings, startsWithinMs = ANSWER_DEADLINE_MS) =>
    Generation.start({ settings: now, limits, desk }, { threads, worker, onError }, startsWithinMs);
  let settings = options.settings;
  let current = await start(settings, startDeadlineMs).catch((error: unknown) => {
    closeDesk();
    throw error;
  });
  let renewing: Promise<void> | null = null;
  const retiring = new Set<Generation>();

  return {
    async send(batch, onEarly) {
      if (current.isDead()) await renew();
      const generation = current;
      const sent = await generation.run(batch, deadlineMs, onEarly);
      if (sent !== null) return sent;
      // The cause is unknown, so the threads send nothing more of this batch, and are replaced.
      batch.revoked.fill(1);
      if (generation === current) void renew();
      return allAs(batch, 'worker_lost');
    },
    async reload(changed) {
      while (renewing) await renewing;
      await replaceWith(changed);
    },
    async isAlive() {
      if (current.isDead()) await renew();
      return current.isAnswering();
    },
    async close(graceMs) {
      await renewing;
      await Promise.all([...retiring, current].map((generation) => generation.retire(graceMs)));
      closeDesk();
    },
    connections(route) {
      return [...retiring, current].reduce((sum, generation) => sum + generation.connections(route), 0);
    },
    get stats() {
      return { threads, capacity: threads * BATCHES_A_THREAD, inFlight: current.inFlight };
    },
  };

  /** Replaces dead or hanging threads. After a failure, batches are lost and the next one retries. */
  function renew(): Promise<void> {
    return renewing ?? replaceWith(settings).catch(() => {});
  }

  /** Rejects without changes if the threads do not start. */
  function replaceWith(wanted: ProviderSettings): Promise<void> {
    const replaced = start(wanted).then((fresh) => {
      const old = current;
      settings = wanted;
      current = fresh;
      retiring.add(old);
      void old.retire().then(() => retiring.delete(old));
    });
    renewing = replaced
      .catch(() => {})
      .finally(() => {
        renewing = null;
      });
    return replaced;
  }
}

type ThreadOptions = Pick<PoolOptions, 'threads'> & Required<Pick<PoolOptions, 'worker' | 'onError'>>;

/** Threads started together with the same settings. */
class Generation {
  readonly #piscina: Piscina<Batch, readonly Sent[]>;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #early = new Map<string, OnEarly>();
  readonly #connections = new Map<number, ByRoute>();
  readonly #onError: ThreadOptions['onError'];
  #lastError: unknown = null;
  /** The threads are ended on purpose: later causes of death are no errors. */
  #isRetired = false;

  /** Starts with a task as proof: calls would hang on a module that fails to load. */
  static async start(data: WorkerData, options: ThreadOptions, deadlineMs: number): Promise<Generation> {
    const generation = new Generation(data, options);
    try {
      if (!(await generation.#selfTest(deadlineMs))) throw notStarted(options.threads, deadlineMs);
      return generation;
    } catch (error) {
      await generation.retire();
      throw error;
    }
  }

  private constructor(workerData: WorkerData, { threads, worker, onError }: ThreadOptions) {
    this.#onError = onError;
    this.#piscina = new Piscina({
      filename: worker.href,
      workerData,
      minThreads: threads,
      maxThreads: threads,
      resourceLimits: MEMORY,
      idleTimeout: Number.POSITIVE_INFINITY,
      // One more than there are batches, so that a self-test never waits for a slow provider.
      concurrentTasksPerWorker: BATCHES_A_THREAD + 1,
      // Used only while replacing a dead thread.
      maxQueue: threads * BATCHES_A_THREAD,
      // Piscina's default blocks idle threads, and their connections.
      atomics: 'disabled',
    });
    // Emitted if an idle thread dies. The pool starts another, or `isDead` notices.
    this.#piscina.on('error', (error) => this.#lost(error));
    this.#piscina.on('message', (message: FromThread) => {
      if ('error' in message) onError(message.error);
      else if ('batchId' in message) this.#early.get(message.batchId)?.(message.answers);
      else this.#connections.set(message.threadId, message.connections);
    });
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Ignores reports of dead threads. */
  connections(route: Route): number {
    return this.#piscina.threads.reduce(
      (sum, { threadId }) => sum + (this.#connections.get(threadId)?.[route] ?? 0),
      0,
    );
  }

  isDead(): boolean {
    return this.#piscina.threads.length === 0;
  }

  /** Returns null after the deadline. A dead thread or full queue loses the batch. */
  async run(batch: Batch, deadlineMs: number, onEarly?: OnEarly): Promise<readonly Sent[] | null> {
    const running = this.#piscina.run(batch).catch((error: unknown) => {
      this.#lost(error);
      return allAs(batch, 'worker_lost');
    });
    const settled = withDeadline<readonly Sent[] | null>(running, deadlineMs, () => null);
    this.#inFlight.add(settled);
    if (onEarly) this.#early.set(batch.id, onEarly);
    try {
      return await settled;
    } finally {
      this.#inFlight.delete(settled);
      this.#early.delete(batch.id);
    }
  }

  async retire(graceMs?: number): Promise<void> {
    const ended: Promise<unknown> = Promise.all(this.#inFlight);
    await (graceMs === undefined ? ended : withDeadline(ended, graceMs, () => null));
    this.#isRetired = true;
    await this.#piscina.destroy();
  }

  /** Reports a dead thread's error once, though it rejects all batches. */
  #lost(error: unknown): void {
    if (this.#isRetired || error === this.#lastError) return;
    this.#lastError = error;
    this.#onError(withoutWords(error));
  }

  isAnswering(): Promise<boolean> {
    return this.#selfTest(ANSWER_DEADLINE_MS).catch(() => false);
  }

  async #selfTest(deadlineMs: number): Promise<boolean> {
    const answer: Promise<unknown> = this.#piscina.run({} as Batch, { name: 'selfTest' });
    return (await withDeadline(answer, deadlineMs, () => null)) === 'ready';
  }
}

function notStarted(threads: number, deadlineMs: number): OperatorProblem {
  return new OperatorProblem(`the ${threads} delivery threads did not start within ${deadlineMs / 1_000} seconds.`, 1, {
    advice: 'The machine is overloaded or short of memory. Free resources, then start pushctl again.',
  });
}
