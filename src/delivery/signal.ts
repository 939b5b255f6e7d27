/** Calls `fn` after `ms`; answers how to call it off. Tests put a clock of their own here. */
export type After = (ms: number, fn: () => void) => () => void;

/** Longer waits overflow Node's timers, which then fire at once. Whoever waits looks again after a minute anyway. */
const LONGEST_MS = 60_000;

export const afterReal: After = (ms, fn) => {
  const timer = setTimeout(fn, Math.min(ms, LONGEST_MS));
  return () => clearTimeout(timer);
};

/** Wakes one waiting loop. A wake-up that comes while nobody waits is kept for the next wait. */
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

  /** Resolves at the next `set`, or after `timeoutMs`. Never late for a `set` that came before. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isSet && timeoutMs > 0) {
      await new Promise<void>((resolve) => {
        const cancel = this.#after(Math.min(timeoutMs, LONGEST_MS), resolve);
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
