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

/** Work may wait by the wall clock, but timers run steadily: this notices in time that the clock was set forward. */
const LONGEST_REST_MS = 30_000;

/** Returns a `work` that does `carryOut` once `next` says that it is due. */
export function byWallClock(
  next: () => Promise<{ readonly inMs: number | null }>,
  carryOut: () => Promise<unknown>,
): TimedWorkOptions['work'] {
  return async () => {
    const { inMs } = await next();
    if (inMs !== 0) return inMs && Math.min(inMs, LONGEST_REST_MS);
    await carryOut();
    return 0;
  };
}

interface TimedWorkOptions {
  /** The topic whose changes may make work due. */
  readonly topic: Topic;
  /** Does due work. Returns the ms to the next call; null: once the topic changes. */
  readonly work: () => Promise<number | null>;
  /** Logged if work throws, unless the store is unavailable. */
  readonly failed: string;
  /** Runs after a failure, and never rejects. */
  readonly onFailed?: () => Promise<void>;
  readonly againMs: number;
}

/**
 * Runs due work, one piece after the other; without work, not even a timer runs. All servers that share a store look,
 * and the store ensures that each piece is done once.
 */
export class TimedWork {
  readonly #deps: TimedWorkDeps;
  readonly #options: TimedWorkOptions;
  #cancel: () => void = () => {};
  #isStopped = false;
  #isAtWork = false;
  /** Work may have become due during the current work. */
  #isWoken = false;

  constructor({ store, after, log }: TimedWorkDeps, options: TimedWorkOptions) {
    this.#deps = { store, after, log };
    this.#options = options;
  }

  start(): void {
    this.#deps.store.onTouched(this.#options.topic, () => this.wake());
    this.wake();
  }

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
