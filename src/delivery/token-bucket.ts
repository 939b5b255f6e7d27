/**
 * Keeps sends within a provider's quota: at most `perMinute` in any 60 seconds, evenly. The bucket holds one second's
 * worth, at least one send, and fills so slowly that a full bucket plus a minute's filling is the quota.
 */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perMs: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(perMinute: number, steadyMs: number) {
    this.#capacity = Math.max(1, Math.floor(perMinute / 61));
    // A window that begins with a full bucket has no use for the token that comes at its very end.
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

/** Tolerance for the rounding of many small additions. */
const ROUNDING = 1e-9;
