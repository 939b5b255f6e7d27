import { createHook } from 'node:async_hooks';
import { threadCpuMs } from '../../support/thread-cpu.ts';

/**
 * How long this thread works on one thing before it turns to another, in its own processor time: from the beginning of one
 * of Node's callbacks (what a socket has received, a timer, a message of another thread) to that of the next one, with all
 * that follows from it at once, and the garbage that is collected meanwhile. A request is in several of them, and the
 * store's answers to several requests may be in one. Waiting for a processor is not in it.
 */
export class Stretches {
  #beganMs = threadCpuMs();
  #longestMs = 0;
  readonly #hook = createHook({ before: () => this.#turn(), trackPromises: false });

  /** Costs some ten microseconds a request. */
  start(): void {
    this.#beganMs = threadCpuMs();
    this.#hook.enable();
  }

  /** The longest one since the last look. */
  longestMs(): number {
    const longestMs = this.#longestMs;
    this.#longestMs = 0;
    return longestMs;
  }

  #turn(): void {
    const nowMs = threadCpuMs();
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#beganMs);
    this.#beganMs = nowMs;
  }
}
