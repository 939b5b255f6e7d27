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
    const used = this.used(nowMs);
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

  /** How many are counted. */
  used(nowMs: number): number {
    this.#forget(nowMs);
    return this.#times.length - this.#oldest;
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

/** So many leave at once when there are too many: to find those that have counted least takes a look at each. */
const LEAVING_PART = 1 / 4;

/**
 * A rolling window for each name. A window leaves when it is idle. `maxWindows` bounds them where strangers choose the
 * names: beyond it, those leave that have counted least, so that a flood of new names pushes out itself, and nobody who has
 * reached a limit.
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
    return this.#windowOf(name, nowMs).admit(limit, nowMs);
  }

  /** What was admitted under that name at that time counts no longer. */
  takeBack(name: string, atMs: number): void {
    const window = this.#windows.get(name);
    window?.takeBack(atMs);
    if (window?.used(atMs) === 0) this.#windows.delete(name);
  }

  #windowOf(name: string, nowMs: number): RollingWindow {
    const known = this.#windows.get(name);
    if (known !== undefined) return known;
    if (this.#windows.size >= this.#maxWindows) this.#dropLeast(nowMs);
    const window = new RollingWindow(this.#windowMs);
    this.#windows.set(name, window);
    return window;
  }

  /** Of those that have counted the same the oldest go first. */
  #dropLeast(nowMs: number): void {
    const used = [...this.#windows].map(([name, window]) => [name, window.used(nowMs)] as const);
    used.sort(([, one], [, other]) => one - other);
    for (const [name] of used.slice(0, Math.ceil(used.length * LEAVING_PART))) this.#windows.delete(name);
  }

  #sweep(nowMs: number): void {
    this.#sweptAtMs = nowMs;
    for (const [name, window] of this.#windows) {
      if (window.used(nowMs) === 0) this.#windows.delete(name);
    }
  }
}
