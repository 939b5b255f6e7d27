import { setImmediate } from 'node:timers/promises';
import type { After, Clock } from '../../src/process/clock.ts';

/**
 * A clock that stands still until a test lets it go on. `after` takes the place of setTimeout; `run` lets everything
 * happen that can happen, timer by timer, without waiting for any of it.
 */
export class SimulatedClock implements Clock {
  /**
   * How long a reading of the steady clock takes. With a time that goes on by itself, timers fire a millisecond early,
   * like Node's. Those count from the start of the tick that sets them.
   */
  readingMs = 0;
  #nowMs: number;
  #lastId = 0;
  readonly #timers = new Map<number, { readonly atMs: number; readonly fn: () => void }>();

  constructor(startMs = Date.UTC(2026, 10, 21, 9, 30)) {
    this.#nowMs = startMs;
  }

  wallMs(): number {
    return Math.floor(this.#nowMs);
  }

  steadyMs(): number {
    this.#nowMs += this.readingMs;
    return Math.floor(this.#nowMs);
  }

  /** How many timers wait. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Fires like Node's timers: after a whole number of milliseconds, at least one. */
  readonly after: After = (ms, fn) => {
    const id = ++this.#lastId;
    this.#timers.set(id, { atMs: this.#nowMs + Math.max(1, Math.trunc(ms)) - (this.readingMs > 0 ? 1 : 0), fn });
    return () => this.#timers.delete(id);
  };

  /** Runs until nothing is left to do before `ms` have passed, and leaves the clock there. */
  async run(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await this.settle();
      const next = [...this.#timers].sort(([, a], [, b]) => a.atMs - b.atMs)[0];
      if (!next || next[1].atMs > untilMs) break;
      const [id, timer] = next;
      this.#timers.delete(id);
      this.#nowMs = Math.max(this.#nowMs, timer.atMs);
      timer.fn();
    }
    this.#nowMs = untilMs;
    await this.settle();
  }

  /** Lets all promises run that do not wait for a timer. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  }
}
