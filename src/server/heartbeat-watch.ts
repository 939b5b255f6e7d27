import type { Logger } from 'pino';
import type { After } from '../clock.ts';
import { type StoreClient, StoreUnavailable } from '../store/calls.ts';
import type { StoreNews } from '../store/serving-store.ts';

/** After a failure: a store that cannot write takes no pings either. */
const AGAIN_MS = 10_000;

export interface HeartbeatWatchDeps {
  readonly store: Pick<StoreClient, 'tendHeartbeats'> & Pick<StoreNews, 'onTouched'>;
  readonly after: After;
  readonly log: Logger;
}

/** Has the store look after the heartbeats when the next one may be missed. Where there is none, it waits for one. */
export class HeartbeatWatch {
  readonly #deps: HeartbeatWatchDeps;
  #cancel: () => void = () => {};
  #isStopped = false;
  #isAtWork = false;
  /** One was added or changed since the work under way began. */
  #isTouched = false;

  constructor(deps: HeartbeatWatchDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#deps.store.onTouched('heartbeats', () => this.#touched());
    void this.#work();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #touched(): void {
    if (this.#isAtWork) this.#isTouched = true;
    else void this.#work();
  }

  async #work(): Promise<void> {
    if (this.#isStopped) return;
    this.#cancel();
    this.#isAtWork = true;
    let nextInMs = await this.#tend();
    if (this.#isTouched) nextInMs = 0;
    this.#isTouched = false;
    this.#isAtWork = false;
    if (nextInMs !== null && !this.#isStopped) this.#cancel = this.#deps.after(nextInMs, () => void this.#work());
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
