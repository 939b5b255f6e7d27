import type { Logger } from 'pino';
import type { After } from '../../process/clock.ts';
import type { Topic } from '../../store/call.ts';
import { StoreUnavailable } from '../../store/calls.ts';
import type { StoreChanges } from '../../store/serving-store.ts';

export interface TimedWorkDeps {
  readonly store: Pick<StoreChanges, 'onTouched'>;
  readonly after: After;
  readonly log: Logger;
}

export interface TimedWorkOptions {
  /** Changes of this topic may make something fall due. */
  readonly topic: Topic;
  /** Does what is due, and returns in how many ms to ask again; null: not before the topic is touched. */
  readonly work: () => Promise<number | null>;
  /** The log's message if the work throws, unless the store is not available. */
  readonly failed: string;
  /** Runs after that. It does not reject. */
  readonly onFailed?: () => Promise<void>;
  readonly againMs: number;
}

/**
 * Work that falls due from time to time, one piece after the other. Where there is none, not even a timer runs. Servers
 * that share a store all look; the store sees to it that each piece is done once.
 */
export class TimedWork {
  readonly #deps: TimedWorkDeps;
  readonly #options: TimedWorkOptions;
  #cancel: () => void = () => {};
  #isStopped = false;
  #isAtWork = false;
  /** Something may have fallen due since the work under way began. */
  #isWoken = false;

  constructor({ store, after, log }: TimedWorkDeps, options: TimedWorkOptions) {
    this.#deps = { store, after, log };
    this.#options = options;
  }

  start(): void {
    this.#deps.store.onTouched(this.#options.topic, () => this.wake());
    this.wake();
  }

  /** It looks at once. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isAtWork && !this.#isStopped) void this.#work();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #work(): Promise<void> {
    this.#cancel();
    this.#isAtWork = true;
    this.#isWoken = false;
    const restMs = await this.#attempt();
    this.#isAtWork = false;
    if (this.#isStopped) return;
    if (this.#isWoken) void this.#work();
    else if (restMs !== null) this.#cancel = this.#deps.after(restMs, () => void this.#work());
  }

  async #attempt(): Promise<number | null> {
    const { work, failed, onFailed, againMs } = this.#options;
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreUnavailable) return againMs;
      this.#deps.log.error({ err: error }, failed);
      await onFailed?.();
      return againMs;
    }
  }
}
