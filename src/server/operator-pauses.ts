import type { Relay } from '../delivery/relay.ts';
import { type After, systemAfter } from '../process/clock.ts';
import type { Route } from '../push.ts';
import type { ServingStore } from '../store/serving-store.ts';

const AGAIN_MS = 1_000;

export interface OperatorPausesDeps {
  readonly store: Pick<ServingStore, 'listPauses' | 'onTouched'>;
  readonly relay: Pick<Relay, 'hold' | 'holdOn' | 'hurry'>;
  readonly after?: After;
}

/**
 * Operators' pauses, for all servers' relays, across restarts. Rereads them after possible changes, then retries all
 * other routes, as the operator may want.
 */
export class OperatorPauses {
  readonly #deps: OperatorPausesDeps;
  #held: ReadonlySet<Route> = new Set();
  #looked: Promise<void> = Promise.resolve();
  #cancel: () => void = () => {};
  #isStopped = false;

  constructor(deps: OperatorPausesDeps) {
    this.#deps = deps;
  }

  /** Applies earlier pauses, then every new decision. */
  async begin(): Promise<void> {
    const { store, relay } = this.#deps;
    store.onTouched('routes', () => void this.inForce().then(() => relay.hurry()));
    const taken = this.#takeOver();
    this.#looked = taken.catch(() => {});
    await taken;
  }

  /** Resolves once earlier decisions are in force, if the store answers. */
  inForce(): Promise<void> {
    this.#looked = this.#looked.then(() => this.#look());
    return this.#looked;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #takeOver(): Promise<void> {
    const { store, relay } = this.#deps;
    const pauses = await store.listPauses({});
    for (const { route, sinceMs } of pauses) relay.holdOn(route, sinceMs);
    this.#held = new Set(pauses.map(({ route }) => route));
  }

  async #look(): Promise<void> {
    const { store, relay, after = systemAfter } = this.#deps;
    if (this.#isStopped) return;
    const pauses = await store.listPauses({}).catch(() => null);
    this.#cancel();
    if (pauses === null) {
      if (!this.#isStopped) this.#cancel = after(AGAIN_MS, () => void this.inForce());
      return;
    }
    const held = new Set(pauses.map(({ route }) => route));
    for (const { route, sinceMs } of pauses) if (!this.#held.has(route)) relay.hold(route, sinceMs);
    for (const route of this.#held) if (!held.has(route)) relay.hold(route, null);
    this.#held = held;
  }
}
