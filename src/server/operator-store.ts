import type { Clock } from '../clock.ts';
import type { Relay } from '../delivery/relay.ts';
import type { ServingStore } from '../store/serving-store.ts';
import { liveRoutes } from './live-routes.ts';
import type { OperatorPauses } from './operator-pauses.ts';

interface Parts {
  readonly relay: Relay;
  readonly pauses: Pick<OperatorPauses, 'inForce'>;
  readonly clock: Clock;
}

/**
 * The store for operators' commands while the server runs: their decisions are in force when they are answered, and
 * routes have their live state.
 */
export function forOperators(store: ServingStore, { relay, pauses, clock }: Parts): ServingStore {
  async function inForce<T>(decision: Promise<T>): Promise<T> {
    const answer = await decision;
    await pauses.inForce();
    return answer;
  }

  return {
    ...store,
    async listRoutes(args, actor) {
      const [routes] = await Promise.all([store.listRoutes(args, actor), pauses.inForce()]);
      const live = liveRoutes(relay, clock);
      return routes.map((each) => ({ ...each, live: live.get(each.route) ?? null }));
    },

    pauseRoute: (args, actor) => inForce(store.pauseRoute(args, actor)),
    resumeRoute: (args, actor) => inForce(store.resumeRoute(args, actor)),
    pruneDevices: (args, actor) => inForce(store.pruneDevices(args, actor)),
  };
}
