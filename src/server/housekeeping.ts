import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { After } from '../delivery/signal.ts';
import { type StoreClient, StoreUnavailable } from '../store/calls.ts';

const EVERY_MS = 60_000;
/**
 * A step is followed by a rest of so many times its own length, so that pruning takes a fifth of the store's time at
 * most.
 */
const REST = 4;
const SHORTEST_REST_MS = 10;

export interface HousekeepingParts {
  readonly store: Pick<StoreClient, 'pruneStep'>;
  readonly clock: Clock;
  readonly after: After;
  readonly log: Logger;
}

/** Has the store remove what is older than `[retention]` allows, once a minute, in small steps. */
export class Housekeeping {
  readonly #parts: HousekeepingParts;
  #cancel: () => void = () => {};
  #isStopped = false;
  #wasTooLarge = false;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#plan(EVERY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #plan(ms: number): void {
    if (!this.#isStopped) this.#cancel = this.#parts.after(ms, () => void this.#step());
  }

  async #step(): Promise<void> {
    const { store, clock } = this.#parts;
    const startMs = clock.steadyMs();
    try {
      const { done, isTooLarge } = await store.pruneStep({});
      this.#tell(isTooLarge);
      const restMs = Math.max(SHORTEST_REST_MS, REST * (clock.steadyMs() - startMs));
      this.#plan(done ? EVERY_MS : restMs);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.#plan(EVERY_MS);
    }
  }

  #tell(isTooLarge: boolean): void {
    if (isTooLarge && !this.#wasTooLarge) {
      this.#parts.log.warn(
        'the database is larger than retention.max_size, and all of it is younger than 24 hours or waits',
      );
    }
    this.#wasTooLarge = isTooLarge;
  }
}
