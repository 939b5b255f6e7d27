/**
 * Keeps a provider's quota: at most `perMinute` in any 60 seconds, evenly. The bucket holds one second's worth, at
 * least one send. It fills so slowly that a full bucket plus a minute's filling is the quota.
 */
export class TokenBucket {
  readonly #perMinute: number;
  #processes = 1;
  #capacity = 0;
  #perMs = 0;
  #tokens = 0;
  #filledAtMs: number;

  constructor(perMinute: number, steadyMs: number) {
    this.#perMinute = perMinute;
    this.#filledAtMs = steadyMs;
    this.#takeShare(perMinute);
    this.#tokens = this.#capacity;
  }

  /**
   * Divides the quota evenly among processes, at least one send a minute each. If more share it, all begin with empty
   * buckets, as do new ones. If fewer, they pay for what the departed may have sent at once.
   */
  divide(processes: number, steadyMs: number): void {
    this.#fill(steadyMs);
    const gone = this.#processes - processes;
    this.#tokens = gone < 0 ? 0 : this.#tokens - (gone * this.#capacity) / processes;
    this.#processes = processes;
    this.#takeShare(Math.max(1, Math.floor(this.#perMinute / processes)));
  }

  available(steadyMs: number): number {
    this.#fill(steadyMs);
    return Math.max(0, Math.floor(this.#tokens + ROUNDING));
  }

  /** Takes `sends`, at most those available. */
  take(sends: number): void {
    this.#tokens -= sends;
  }

  /** Returns the ms to the next send; 0: now. */
  waitMs(steadyMs: number): number {
    if (this.available(steadyMs) >= 1) return 0;
    return Math.ceil((1 - this.#tokens) / this.#perMs);
  }

  #fill(steadyMs: number): void {
    const filled = this.#tokens + Math.max(0, steadyMs - this.#filledAtMs) * this.#perMs;
    this.#tokens = Math.min(this.#capacity, filled);
    this.#filledAtMs = Math.max(this.#filledAtMs, steadyMs);
  }

  #takeShare(perMinute: number): void {
    this.#capacity = Math.max(1, Math.floor(perMinute / 61));
    // Only a full bucket at the window's start makes the last token useless; shares need it.
    const last = this.#processes === 1 ? 1 : 0;
    this.#perMs = Math.max(1, perMinute - this.#capacity + last) / 60_000;
  }
}

/** Tolerance for the rounding of many small additions. */
const ROUNDING = 1e-9;
