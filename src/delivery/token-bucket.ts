/**
 * Keeps sends below a provider's quota: never more than `perMinute` in any 60 seconds, let through evenly. The bucket holds
 * one second's worth, or one send where that is less, and fills so slowly that a full bucket and what comes in within a minute
 * are the quota together.
 */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perMs: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(perMinute: number, steadyMs: number) {
    this.#capacity = Math.max(1, Math.floor(perMinute / 61));
    // A window that begins with a full bucket gets nothing of what comes in at its very end.
    this.#perMs = (perMinute - this.#capacity + 1) / 60_000;
    this.#tokens = this.#capacity;
    this.#filledAtMs = steadyMs;
  }

  /** How many sends may go now. */
  available(steadyMs: number): number {
    const filled = this.#tokens + Math.max(0, steadyMs - this.#filledAtMs) * this.#perMs;
    this.#tokens = Math.min(this.#capacity, filled);
    this.#filledAtMs = Math.max(this.#filledAtMs, steadyMs);
    return Math.floor(this.#tokens + ROUNDING);
  }

  /** `sends` go now: no more than are available. */
  take(sends: number): void {
    this.#tokens -= sends;
  }

  /** How long until the next send may go, in ms; 0: now. */
  waitMs(steadyMs: number): number {
    if (this.available(steadyMs) >= 1) return 0;
    return Math.ceil((1 - this.#tokens) / this.#perMs);
  }
}

/** What many small additions may be off by. */
const ROUNDING = 1e-9;
