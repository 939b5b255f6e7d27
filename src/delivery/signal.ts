/** Calls `fn` after `ms`; answers how to call it off. Tests put a clock of their own here. */
export type After = (ms: number, fn: () => void) => () => void;

/** Node's timers take no longer waits: they would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const afterReal: After = (ms, fn) => {
  const endsAtMs = performance.now() + ms;
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    timer = setTimeout(
      () => {
        const left = endsAtMs - performance.now();
        if (leftMs > LONGEST_TIMER_MS && left > 0) wait(left);
        else fn();
      },
      Math.min(leftMs, LONGEST_TIMER_MS),
    );
  };
  wait(ms);
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

  /** Resolves at the next `set`, or after `timeoutMs` (Infinity: never by itself). Never late for a `set` that came before. */
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
