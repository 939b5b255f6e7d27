import type { After } from '../process/clock.ts';

/** Wakes one waiting loop. A wake-up while nothing waits is kept. */
export class Signal {
  readonly #after: After;
  #isSet = false;
  #wake: (() => void) | null = null;

  constructor(after: After) {
    this.#after = after;
  }

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Resolves at the next `set`, for an earlier unused `set`, or after `timeoutMs` (Infinity: never). */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isSet && timeoutMs > 0) {
      await new Promise<void>((resolve) => {
        const cancel = Number.isFinite(timeoutMs) ? this.#after(timeoutMs, resolve) : () => {};
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
      this.#wake = null;
    }
    this.#isSet = false;
  }
}
