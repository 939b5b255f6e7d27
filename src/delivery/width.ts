/** Threads that work for this share of the time are saturated. */
const SATURATED = 0.75;
/** One thread fewer is enough if the others then work for less than this share. */
const RELAXED = 0.5;
const WINDOW_MS = 500;

/** A thread's report on its last half second. */
export interface Load {
  /** The share of a core that it used. Stays low on a busy machine, where a further thread would not help. */
  readonly cpu: number;
  /** The share of the time in which it did not wait for the network. */
  readonly busy: number;
  /** Pushes that are in flight or wait for that, as a share of those that a provider's client may have in flight. */
  readonly fill: number;
}

/**
 * Decides how many threads share the batches: as few as can send them, since one thread has larger messages and fuller
 * connections than two. Doubles under load, so that 64 threads need six windows.
 */
export class Width {
  readonly #most: number;
  #threads = 1;
  #windowFromMs = Number.NEGATIVE_INFINITY;
  #wasFull = false;

  constructor(most: number) {
    this.#most = most;
  }

  get threads(): number {
    return this.#threads;
  }

  /** Adapts once a window. `loads`: of the threads that share the batches; fewer than `threads` while some start. */
  adapt(loads: readonly Load[], nowMs: number): void {
    if (nowMs - this.#windowFromMs < WINDOW_MS) return;
    this.#windowFromMs = nowMs;
    const [cpu, busy] = [sumOf(loads, 'cpu'), sumOf(loads, 'busy')];
    const enough = SATURATED * loads.length;
    // More pushes in flight help if the provider is slow, not if the thread is.
    const isFull = busy < enough && loads.every(({ fill }) => fill > 1);
    // A burst is over before a further thread has started.
    const isShort = cpu >= enough || (isFull && this.#wasFull);
    this.#wasFull = isFull;
    if (isShort && loads.length >= this.#threads) this.#threads = Math.min(this.#most, 2 * this.#threads);
    else if (!isShort && busy < RELAXED * (this.#threads - 1) && this.#hasRoom(loads)) this.#threads -= 1;
  }

  /** Whether one thread fewer could have all these pushes in flight. */
  #hasRoom(loads: readonly Load[]): boolean {
    return loads.every(({ fill }) => fill <= 1) && sumOf(loads, 'fill') <= this.#threads - 1;
  }

  /** Takes no more threads than there are left. */
  limit(threads: number): void {
    this.#threads = Math.max(1, Math.min(threads, this.#threads));
  }
}

function sumOf(loads: readonly Load[], name: keyof Load): number {
  return loads.reduce((sum, load) => sum + load[name], 0);
}
