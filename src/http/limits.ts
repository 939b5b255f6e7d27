/** Counting requests in memory. All times are steady milliseconds: a jumping wall clock neither frees nor blocks anyone. */

const MINUTE_MS = 60_000;

export interface Admission {
  readonly admitted: boolean;
  readonly limit: number;
  /** How many more would be admitted right now. */
  readonly remaining: number;
  /** Until one more place becomes free; 0 where all are. */
  readonly resetAfterMs: number;
}

/** Admits at most `limit` requests in any window of time, exactly: it remembers the time of each that it admitted. */
export class RollingWindow {
  readonly #windowMs: number;
  #times: number[] = [];
  /** Index of the oldest time that still counts. */
  #oldest = 0;

  constructor(windowMs: number = MINUTE_MS) {
    this.#windowMs = windowMs;
  }

  admit(limit: number, nowMs: number): Admission {
    this.#forget(nowMs);
    const used = this.#times.length - this.#oldest;
    const admitted = used < limit;
    if (admitted) this.#times.push(nowMs);
    // A place becomes free when all but limit - 1 of the counted have left.
    const next = this.#times[this.#oldest + Math.max(0, used - limit)];
    return {
      admitted,
      limit,
      remaining: Math.max(0, limit - used - 1),
      resetAfterMs: next === undefined ? 0 : Math.max(0, next + this.#windowMs - nowMs),
    };
  }

  /** What was admitted at that time counts no longer. */
  takeBack(atMs: number): void {
    const index = this.#times.lastIndexOf(atMs);
    if (index >= this.#oldest) this.#times.splice(index, 1);
  }

  isIdle(nowMs: number): boolean {
    this.#forget(nowMs);
    return this.#times.length === this.#oldest;
  }

  /** Times are whole milliseconds, rounded down: only more than 60,000 of them are surely a minute. */
  #forget(nowMs: number): void {
    while (nowMs - (this.#times[this.#oldest] ?? nowMs) > this.#windowMs) this.#oldest += 1;
    if (this.#oldest > 32 && this.#oldest * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#oldest);
      this.#oldest = 0;
    }
  }
}

/**
 * A rolling window for each name. A window leaves when it is idle. `maxWindows` bounds them where strangers choose the
 * names: beyond it, the one that was used longest ago leaves, and its owner starts afresh.
 */
export class RollingWindows {
  readonly #windows = new Map<string, RollingWindow>();
  readonly #maxWindows: number;
  readonly #windowMs: number;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(maxWindows: number = Number.POSITIVE_INFINITY, windowMs: number = MINUTE_MS) {
    this.#maxWindows = maxWindows;
    this.#windowMs = windowMs;
  }

  get size(): number {
    return this.#windows.size;
  }

  admit(name: string, limit: number, nowMs: number): Admission {
    if (nowMs - this.#sweptAtMs > this.#windowMs) this.#sweep(nowMs);
    return this.#windowOf(name).admit(limit, nowMs);
  }

  /** What was admitted under that name at that time counts no longer. */
  takeBack(name: string, atMs: number): void {
    this.#windows.get(name)?.takeBack(atMs);
  }

  /** The map keeps the order of insertion; a bounded one is kept in the order of use. */
  #windowOf(name: string): RollingWindow {
    const known = this.#windows.get(name);
    if (known !== undefined && this.#maxWindows === Number.POSITIVE_INFINITY) return known;
    const window = known ?? new RollingWindow(this.#windowMs);
    this.#windows.delete(name);
    this.#windows.set(name, window);
    if (this.#windows.size > this.#maxWindows) {
      for (const longestAgo of this.#windows.keys()) {
        this.#windows.delete(longestAgo);
        break;
      }
    }
    return window;
  }

  #sweep(nowMs: number): void {
    this.#sweptAtMs = nowMs;
    for (const [name, window] of this.#windows) {
      if (window.isIdle(nowMs)) this.#windows.delete(name);
    }
  }
}
