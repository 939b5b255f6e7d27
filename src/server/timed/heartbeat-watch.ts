import type { Logger } from 'pino';
import type { After } from '../../clock.ts';
import { type StoreClient, StoreUnavailable } from '../../store/calls.ts';
import type { StoreChanges } from '../../store/serving-store.ts';
import { TimedWork } from './timed-work.ts';

/** After a failure: a store that cannot write takes no pings either. */
const AGAIN_MS = 10_000;

export interface HeartbeatWatchDeps {
  readonly store: Pick<StoreClient, 'tendHeartbeats'> & Pick<StoreChanges, 'onTouched'>;
  readonly after: After;
  readonly log: Logger;
}

/** Has the store look after the heartbeats when the next one may be missed. Where there is none, it waits for one. */
export class HeartbeatWatch {
  readonly #deps: HeartbeatWatchDeps;
  readonly #tending: TimedWork;

  constructor(deps: HeartbeatWatchDeps) {
    this.#deps = deps;
    this.#tending = new TimedWork({ after: deps.after, work: () => this.#tend() });
  }

  start(): void {
    this.#deps.store.onTouched('heartbeats', () => this.#tending.wake());
    this.#tending.wake();
  }

  stop(): void {
    this.#tending.stop();
  }

  /** In how many ms to ask again; null: there is no heartbeat. */
  async #tend(): Promise<number | null> {
    try {
      return (await this.#deps.store.tendHeartbeats({})).nextInMs;
    } catch (error) {
      if (!(error instanceof StoreUnavailable))
        this.#deps.log.error({ err: error }, 'heartbeats were not looked after');
      return AGAIN_MS;
    }
  }
}
