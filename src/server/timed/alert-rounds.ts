import type { Logger } from 'pino';
import type { After } from '../../clock.ts';
import { type Round, StoreUnavailable } from '../../store/calls.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import { TimedWork } from './timed-work.ts';

/** Nothing falls due sooner than a minute after an alert is opened, by whichever server: so this is soon enough to look. */
const LONGEST_REST_MS = 30_000;
const SHORTEST_REST_MS = 50;
const AFTER_FAULT_MS = 5_000;

export interface AlertRoundsDeps {
  readonly store: Pick<ServingStore, 'nextRound' | 'runRound' | 'onTouched'>;
  readonly after: After;
  readonly log: Logger;
  readonly onEnded?: (alerts: Round['ended']) => void;
}

/**
 * Has the store remind of open alerts when it is time. Where no channel insists and no alert lives, nothing runs, not
 * even a timer. Servers that share a store all look; the store sees to it that each round is made once.
 */
export class AlertRounds {
  readonly #deps: AlertRoundsDeps;
  readonly #rounds: TimedWork;

  constructor(deps: AlertRoundsDeps) {
    this.#deps = deps;
    this.#rounds = new TimedWork({ after: deps.after, work: () => this.#work() });
    deps.store.onTouched('alerts', () => this.#rounds.wake());
  }

  start(): void {
    this.#rounds.wake();
  }

  stop(): void {
    this.#rounds.stop();
  }

  /** Returns how long to rest; null: until a channel insists. */
  async #work(): Promise<number | null> {
    const { store, log } = this.#deps;
    try {
      const { inMs, insists } = await store.nextRound({});
      if (inMs === null) return insists ? LONGEST_REST_MS : null;
      if (inMs > 0) return Math.min(inMs, LONGEST_REST_MS);
      const { ended } = await store.runRound({});
      this.#deps.onEnded?.(ended);
      return SHORTEST_REST_MS;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) log.error({ err: error }, 'no one was reminded of open alerts');
      return AFTER_FAULT_MS;
    }
  }
}
