import type { Logger } from 'pino';
import type { After, Clock } from '../process/clock.ts';
import { type StoreClient, StoreUnavailable } from '../store/calls.ts';

const EVERY_MS = 60_000;
/**
 * The rest after a step, as a multiple of its duration: pruning takes at most a fifth of the time, urgent pruning half.
 */
const REST = 4;
const PRESSING_REST = 1;
const SHORTEST_REST_MS = 10;

interface HousekeepingDeps {
  readonly store: Pick<StoreClient, 'pruneStep'>;
  readonly clock: Clock;
  readonly after: After;
  readonly log: Logger;
}

/**
 * Has the store remove what deletions left behind and what is older than `[retention]` allows, and continue abandoned
 * imports. Runs once a minute, in small steps.
 */
export class Housekeeping {
  readonly #deps: HousekeepingDeps;
  #cancel: () => void = () => {};
  #isStopped = false;
  #wasTooLarge = false;
  #wasHeld = false;
  #lastMs: number | null = null;
  #isAtWork = false;
  #isWoken = false;

  constructor(deps: HousekeepingDeps) {
    this.#deps = deps;
  }

  /** Starts at once: a crash may have interrupted a removal or import. */
  start(): void {
    this.#plan(SHORTEST_REST_MS);
  }

  /** Starts the next step early. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isAtWork) this.#plan(SHORTEST_REST_MS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #plan(ms: number): void {
    this.#cancel();
    if (!this.#isStopped) this.#cancel = this.#deps.after(ms, () => void this.#step());
  }

  async #step(): Promise<void> {
    this.#isAtWork = true;
    this.#isWoken = false;
    const restMs = await this.#work();
    this.#isAtWork = false;
    this.#plan(this.#isWoken ? SHORTEST_REST_MS : restMs);
  }

  /** Returns the ms to rest after a step. */
  async #work(): Promise<number> {
    const { store, clock } = this.#deps;
    const startMs = clock.steadyMs();
    try {
      const passedMs = startMs - (this.#lastMs ?? startMs);
      const { done, isPressing, isTooLarge, isHeld } = await store.pruneStep({ passedMs });
      this.#lastMs = startMs;
      this.#report(isTooLarge, isHeld);
      const rest = isPressing ? PRESSING_REST : REST;
      return done ? EVERY_MS : Math.max(SHORTEST_REST_MS, rest * (clock.steadyMs() - startMs));
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.#deps.log.error({ err: error }, 'the removal of old data failed');
      return EVERY_MS;
    }
  }

  #report(isTooLarge: boolean, isHeld: boolean): void {
    if (isHeld && !this.#wasHeld) {
      this.#deps.log.warn(
        'the clock is more than a day ahead of the last run; for the next 24 hours, only time at work makes data old',
      );
    }
    this.#wasHeld = isHeld;
    if (isTooLarge && !this.#wasTooLarge) {
      this.#deps.log.warn(
        'the database is larger than retention.max_size, but all data is younger than 24 hours or still waits',
      );
    }
    this.#wasTooLarge = isTooLarge;
  }
}
