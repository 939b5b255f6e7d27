import type { Logger } from 'pino';
import type { After } from '../../clock.ts';
import { StoreUnavailable } from '../../store/calls.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import { TimedWork } from './timed-work.ts';

/** Timers run steadily, and events wait by the wall clock: where that is set forward, it is noticed in time. */
const LONGEST_REST_MS = 30_000;
const AFTER_FAULT_MS = 5_000;
/** Events that a bug may keep from being sent, until those behind them wait as well. */
const MOST_FAULTY = 100;

export interface ReleasesDeps {
  readonly store: Pick<ServingStore, 'nextRelease' | 'releaseDue' | 'onTouched'>;
  readonly after: After;
  readonly log: Logger;
}

/**
 * Has the store send events that wait for their time. Where none waits, nothing runs, not even a timer. Servers that
 * share a store all look; the store sees to it that each event is sent once.
 */
export class Releases {
  readonly #deps: ReleasesDeps;
  readonly #releases: TimedWork;

  constructor(deps: ReleasesDeps) {
    this.#deps = deps;
    this.#releases = new TimedWork({ after: deps.after, work: () => this.#work() });
    deps.store.onTouched('scheduled', () => this.#releases.wake());
  }

  start(): void {
    this.#releases.wake();
  }

  stop(): void {
    this.#releases.stop();
  }

  /** Returns how long to rest; null: until an event is to be sent later. */
  async #work(): Promise<number | null> {
    const { store, log } = this.#deps;
    try {
      const { inMs } = await store.nextRelease({});
      if (inMs !== 0) return inMs && Math.min(inMs, LONGEST_REST_MS);
      await store.releaseDue({});
      return 0;
    } catch (error) {
      if (error instanceof StoreUnavailable) return AFTER_FAULT_MS;
      log.error({ err: error }, 'an event was not sent at its time');
      await this.#releaseOthers();
      return AFTER_FAULT_MS;
    }
  }

  /** One by one, as an event that throws (a bug) holds up no other. */
  async #releaseOthers(): Promise<void> {
    for (let skip = 0; skip < MOST_FAULTY; ) {
      try {
        const { released } = await this.#deps.store.releaseDue({ skip });
        if (released.length === 0) return;
      } catch (error) {
        if (error instanceof StoreUnavailable) return;
        skip += 1;
      }
    }
  }
}
