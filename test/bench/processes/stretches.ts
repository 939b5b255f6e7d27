import { createHook } from 'node:async_hooks';
import { threadCpuMs } from '../../support/thread-cpu.ts';

/**
 * Measures how long this thread works on one thing before it turns to another, in its own processor time. A stretch
 * begins with one of Node's callbacks: bytes of a socket, a timer, a message of another thread. It ends with the next
 * callback, so it includes all immediate work and the garbage collection. A request is in several of them, and the
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
