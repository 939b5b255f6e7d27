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
  /** Whether pushes wait for a provider that has as many as a client may have in flight. */
  readonly isFull: boolean;
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
    const isFull = busy < enough && loads.every((load) => load.isFull);
    // A burst is over before a further thread has started.
    const isShort = cpu >= enough || (isFull && this.#wasFull);
    this.#wasFull = isFull;
    if (isShort && loads.length >= this.#threads) this.#threads = Math.min(this.#most, 2 * this.#threads);
    else if (!isShort && !loads.some((load) => load.isFull) && busy < RELAXED * (this.#threads - 1)) this.#threads -= 1;
  }

  /** Takes no more threads than there are left. */
  limit(threads: number): void {
    this.#threads = Math.max(1, Math.min(threads, this.#threads));
  }
}

function sumOf(loads: readonly Load[], name: 'cpu' | 'busy'): number {
  return loads.reduce((sum, load) => sum + load[name], 0);
}
