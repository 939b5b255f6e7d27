import type { OnEarly } from '../providers/provider.ts';
import { allAs, withDeadline } from '../providers/sending.ts';
import type { Batch, Route, Sent } from '../push.ts';
import { DeliveryThread, type ThreadOptions } from './delivery-thread.ts';
import { BATCHES_A_THREAD } from './limits.ts';
import { Width } from './width.ts';
import type { WorkerData } from './worker.ts';

const ANSWER_DEADLINE_MS = 20_000;
/** A further thread that does not start is tried again after this time. */
const START_AGAIN_MS = 60_000;

export interface GenerationOptions extends Pick<ThreadOptions, 'worker' | 'onError'> {
  /** The most threads. */
  readonly threads: number;
  /** The time after which a thread without batches ends, unless it is the last one. */
  readonly idleMs: number;
}

/** Threads with the same settings. The first one sends alone until it is saturated; others start then. */
export class Generation {
  readonly #data: WorkerData;
  readonly #options: GenerationOptions;
  readonly #width: Width;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #starting = new Set<Promise<void>>();
  /** The oldest first. */
  #threads: readonly DeliveryThread[] = [];
  #startAgainAtMs = 0;
  #isRetired = false;

  /** Rejects if the first thread fails to load its module. Returns null if it does not start in time. */
  static async start(data: WorkerData, options: GenerationOptions, deadlineMs: number): Promise<Generation | null> {
    const generation = new Generation(data, options);
    return (await generation.#startThread(deadlineMs)) ? generation : null;
  }

  private constructor(data: WorkerData, options: GenerationOptions) {
    this.#data = data;
    this.#options = options;
    this.#width = new Width(options.threads);
  }

  get threads(): number {
    return this.#threads.length;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  connections(route: Route): number {
    return this.#threads.reduce((sum, thread) => sum + thread.connections(route), 0);
  }

  /** Returns null after the deadline. A dead thread loses the batch. */
  async run(batch: Batch, deadlineMs: number, onEarly?: OnEarly): Promise<readonly Sent[] | null> {
    const running = this.#choose()?.run(batch, onEarly) ?? Promise.resolve(allAs(batch, 'worker_lost'));
    const settled = withDeadline<readonly Sent[] | null>(running, deadlineMs, () => null);
    this.#inFlight.add(settled);
    try {
      return await settled;
    } finally {
      this.#inFlight.delete(settled);
    }
  }

  isAnswering(): Promise<boolean> {
    const [thread] = this.#sharing().sort(byBatches);
    return thread?.isAnswering(ANSWER_DEADLINE_MS).catch(() => false) ?? Promise.resolve(false);
  }

  async retire(graceMs?: number): Promise<void> {
    const ended: Promise<unknown> = Promise.all(this.#inFlight);
    await (graceMs === undefined ? ended : withDeadline(ended, graceMs, () => null));
    this.#isRetired = true;
    await Promise.all([...this.#starting, ...this.#threads.map((thread) => thread.end())]);
  }

  #sharing(): DeliveryThread[] {
    return this.#threads.slice(0, this.#width.threads);
  }

  #choose(): DeliveryThread | undefined {
    const loads = this.#sharing().map(({ load }) => load);
    this.#width.adapt(loads, performance.now());
    this.#startMissing();
    return this.#sharing().sort(byBatches)[0];
  }

  #startMissing(): void {
    const missing = this.#width.threads - this.#threads.length - this.#starting.size;
    if (missing <= 0 || this.#isRetired || performance.now() < this.#startAgainAtMs) return;
    for (let started = 0; started < missing; started += 1) {
      const starting = this.#startThread(ANSWER_DEADLINE_MS)
        .catch(() => false)
        .then((isStarted) => {
          this.#starting.delete(starting);
          if (!isStarted) this.#startAgainAtMs = performance.now() + START_AGAIN_MS;
        });
      this.#starting.add(starting);
    }
  }

  async #startThread(deadlineMs: number): Promise<boolean> {
    const { worker, onError, threads, idleMs } = this.#options;
    const onDeath = (dead: DeliveryThread) => this.#remove(dead);
    const thread = new DeliveryThread(this.#data, { worker, batches: threads * BATCHES_A_THREAD, onError, onDeath });
    let isStarted = false;
    try {
      isStarted = await thread.start(deadlineMs);
    } finally {
      if (!isStarted || this.#isRetired) await thread.end();
    }
    if (!isStarted || this.#isRetired) return isStarted;
    this.#threads = [...this.#threads, thread];
    this.#endIfIdle(thread, idleMs);
    return true;
  }

  /** Looks again once the thread may have been idle for long enough. */
  #endIfIdle(thread: DeliveryThread, afterMs: number): void {
    const { idleMs } = this.#options;
    setTimeout(() => {
      if (this.#isRetired || !this.#threads.includes(thread)) return;
      const isNeeded = thread === this.#threads[0];
      if (isNeeded || thread.idleMs < idleMs) return this.#endIfIdle(thread, idleMs - (isNeeded ? 0 : thread.idleMs));
      // From here on it gets no batch.
      this.#remove(thread);
      void thread.end();
    }, afterMs).unref();
  }

  #remove(thread: DeliveryThread): void {
    this.#threads = this.#threads.filter((other) => other !== thread);
    this.#width.limit(this.#threads.length);
  }
}

function byBatches(a: DeliveryThread, b: DeliveryThread): number {
  return a.batches - b.batches;
}
