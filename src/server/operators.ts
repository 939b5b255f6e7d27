import type { Relay } from '../delivery/relay.ts';
import { type After, type Clock, systemAfter } from '../process/clock.ts';
import type { Route } from '../push.ts';
import type { LiveRoute } from '../store/calls.ts';
import { livePauses, type ServingStore, withCalls } from '../store/client.ts';
import { toTimestamp } from '../values/timestamp.ts';

const AGAIN_MS = 1_000;

interface OperatorPausesDeps {
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

interface Parts {
  readonly relay: Relay;
  readonly pauses: Pick<OperatorPauses, 'inForce'>;
  readonly clock: Clock;
}

/** Wraps the store for operators: decisions are in force once answered, routes have live states. */
export function forOperators(store: ServingStore, { relay, pauses, clock }: Parts): ServingStore {
  async function inForce<T>(decision: Promise<T>): Promise<T> {
    const answer = await decision;
    await pauses.inForce();
    return answer;
  }

  return withCalls(store, {
    async listRoutes(args, ...who) {
      const [routes] = await Promise.all([store.listRoutes(args, ...who), pauses.inForce()]);
      const live = liveRoutes(relay, clock);
      return routes.map((row) => ({ ...row, live: live.get(row.route) ?? null }));
    },

    showEvent: (args, ...who) => store.showEvent({ ...args, pauses: livePauses(liveRoutes(relay, clock)) }, ...who),

    pauseRoute: (args, actor) => inForce(store.pauseRoute(args, actor)),
    resumeRoute: (args, actor) => inForce(store.resumeRoute(args, actor)),
    pruneDevices: (args, actor) => inForce(store.pruneDevices(args, actor)),
  });
}

/** Returns the routes' states with wall clock times. */
export function liveRoutes(relay: Pick<Relay, 'pauses'>, clock: Clock): ReadonlyMap<Route, LiveRoute> {
  const at = (steadyMs: number) => toTimestamp(clock.wallMs() - Math.max(0, clock.steadyMs() - steadyMs));
  return new Map(
    relay.pauses().map(({ route, pause, unproven }) => [
      route,
      {
        pause: pause && {
          kind: pause.kind,
          reason: pause.reason,
          ...(pause.words !== undefined && { words: pause.words }),
          since: at(pause.sinceMs),
        },
        doubt: unproven && { reason: unproven.reason, since: at(unproven.sinceMs) },
      },
    ]),
  );
}
