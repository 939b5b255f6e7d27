import { Closers } from '../../src/server/closers.ts';

/**
 * What a test has opened. `await using opened = new Opened();` closes all of it when the test is over, the last first,
 * also where an assertion has failed: an open handle would keep the file running until its time is up, and its message
 * unnamed.
 */
export class Opened implements AsyncDisposable {
  readonly #closers = new Closers();

  /** Answers the thing, which may be closed before. */
  add<T extends { close(): Promise<unknown> }>(thing: T): T {
    this.onEnd(() => thing.close());
    return thing;
  }

  onEnd(close: () => unknown): void {
    this.#closers.add(async () => void (await close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#closers.closeAll();
  }
}
