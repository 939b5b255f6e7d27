import { Piscina } from 'piscina';
import { systemClock } from '../process/clock.ts';
import { entryUrl } from '../process/entry-points.ts';
import { WORKER_HEAP_LIMITS } from '../process/garbage-collection.ts';
import { type ErrorTrace, OperatorProblem, withoutWords } from '../process/problem.ts';
import type { OnEarly, SendLimits } from '../providers/client.ts';
import { allAs, withDeadline } from '../providers/sending.ts';
import { newDeskName, openTokenDesk } from '../providers/signing/token-desk.ts';
import { TokenKeeper, type Tokens } from '../providers/signing/tokens.ts';
import type { ProviderSettings } from '../providers/table.ts';
import type { Batch, Route, Sent } from '../push.ts';
import { BATCHES_A_THREAD } from './limits.ts';
import type { ByRoute, FromThread, WorkerData } from './worker.ts';

/** The delivery threads. Each holds its own connections to the providers. */
export interface Pool {
  /**
   * Sends a batch once, and resolves with an outcome for each target. Where some take longer, `onEarly` gets those that
   * are known before; the result has them as well. Never rejects: a lost thread is an outcome, too.
   */
  send(batch: Batch, onEarly?: OnEarly): Promise<readonly Sent[]>;
  /**
   * Replaces the threads by some with these settings; batches in flight end on the old ones. Rejects, changing nothing,
   * if they do not start.
   */
  reload(settings: ProviderSettings): Promise<void>;
  /** Whether a thread answers. Starts new ones first if none is left. */
  isAlive(): Promise<boolean>;
  /** Waits for starting threads and for batches in flight, the latter at most so long (absent: to their end). */
  close(graceMs?: number): Promise<void>;
  /** Open connections to the route's provider, over all threads, as they stood half a second ago. */
  connections(route: Route): number;
  readonly stats: PoolStats;
}

export interface PoolStats {
  readonly threads: number;
  /** How many batches can be in flight without waiting for a thread. */
  readonly capacity: number;
  readonly inFlight: number;
}

export interface PoolOptions {
  readonly settings: ProviderSettings;
  readonly threads: number;
  /** Signs for all threads; absent: one of the pool's own. */
  readonly tokens?: Tokens;
  /** Replaces the providers' own limits. Used by tests only. */
  readonly limits?: Partial<SendLimits>;
  /** After so long a batch is given up, its outcomes unknown, and the threads are replaced. */
  readonly deadlineMs?: number;
  /** After so long, the first threads are given up where none has answered. */
  readonly startDeadlineMs?: number;
  /** The module that the threads run. */
  readonly worker?: URL;
  /** Called with exceptions in the threads, and what a thread died of. */
  readonly onError?: (error: ErrorTrace) => void;
}

/** A batch ends within twice the deadline of a send: this is for threads that hang. */
const DEADLINE_MS = 90_000;
/** Loading the providers' libraries takes a second, on a machine with other things to do many times that. */
const START_DEADLINE_MS = 90_000;
const ANSWER_DEADLINE_MS = 20_000;
/** A thread that needs more is broken, and replaced. */
const MEMORY = { ...WORKER_HEAP_LIMITS, maxOldGenerationSizeMb: 512 };

/** Rejects when the threads do not start. */
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
      // The cause is unknown: the threads send nothing more of this batch, and are replaced.
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
      return current.answers();
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

  /** Replaces dead or hanging threads. Where that fails, batches end as lost and the next one tries again. */
  function renew(): Promise<void> {
    return renewing ?? replaceWith(settings).catch(() => {});
  }

  /** Rejects, changing nothing, where the threads do not start. */
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

/** Threads that were started together, with the same settings. */
class Generation {
  readonly #piscina: Piscina<Batch, readonly Sent[]>;
  readonly #inFlight = new Set<Promise<unknown>>();
  /** Receivers of early outcomes, by the batch's id. */
  readonly #early = new Map<string, OnEarly>();
  readonly #connections = new Map<number, ByRoute>();
  readonly #onError: ThreadOptions['onError'];
  #lastError: unknown = null;
  /** The threads are ended on purpose: what they die of from now on is no error. */
  #isRetired = false;

  /** A pool whose module fails to load would leave every call waiting: a first task proves that it loads. */
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
      // Used only while a dead thread is being replaced.
      maxQueue: threads * BATCHES_A_THREAD,
      // The default of piscina blocks a thread without a task, and its connections with it.
      atomics: 'disabled',
    });
    // A thread that dies without a task emits this. The pool starts another, or `isDead` notices that it could not.
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

  /** Threads that have died have none, whatever they last reported. */
  connections(route: Route): number {
    return this.#piscina.threads.reduce(
      (sum, { threadId }) => sum + (this.#connections.get(threadId)?.[route] ?? 0),
      0,
    );
  }

  isDead(): boolean {
    return this.#piscina.threads.length === 0;
  }

  /** null: not done by the deadline. Where a thread dies or the queue is full, the batch is lost. */
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

  /** All batches of a thread that dies are rejected with the same error, which is reported once. */
  #lost(error: unknown): void {
    if (this.#isRetired || error === this.#lastError) return;
    this.#lastError = error;
    this.#onError(withoutWords(error));
  }

  answers(): Promise<boolean> {
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
