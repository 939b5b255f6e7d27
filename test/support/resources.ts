import { Closers } from '../../src/server/closers.ts';

/**
 * Collects the open things of a test. `await using opened = new Resources();` closes all of them after the test, the last
 * first, also after a failed assertion. An open handle would keep the file running until its time is up, and hide its
 * message.
 */
export class Resources implements AsyncDisposable {
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
