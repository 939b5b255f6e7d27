import type { Clock } from '../clock.ts';
import type { LinkMemory } from '../delivery/link-memory.ts';
import type { Relay } from '../delivery/relay.ts';
import { isRefusal } from '../store/calls.ts';
import type { ServingStore } from '../store/serving-store.ts';
import { liveRoutes } from './live-routes.ts';

interface Parts {
  readonly relay: Relay;
  readonly links: LinkMemory;
  readonly clock: Clock;
}

/**
 * The store for operators' commands while the server runs: their decisions also reach the relay at once, and routes
 * have their live state.
 */
export function forOperators(store: ServingStore, { relay, links, clock }: Parts): ServingStore {
  return {
    ...store,
    /** Drops the links of a cancelled event. */
    async cancelEvent(args, actor) {
      const answer = await store.cancelEvent(args, actor);
      if (!isRefusal(answer)) links.drop(args.publicId);
      return answer;
    },

    async listRoutes(args, actor) {
      const routes = await store.listRoutes(args, actor);
      const live = liveRoutes(relay, clock);
      return routes.map((each) => ({ ...each, live: live.get(each.route) ?? null }));
    },

    async pauseRoute(args, actor) {
      const answer = await store.pauseRoute(args, actor);
      relay.hold(args.route, Date.parse(answer.paused_at));
      return answer;
    },

    async resumeRoute(args, actor) {
      const answer = await store.resumeRoute(args, actor);
      relay.hold(args.route, null);
      relay.hurry(args.route);
      return answer;
    },

    /** The pushes that wait for these devices end. */
    async pruneDevices(args, actor) {
      const answer = await store.pruneDevices(args, actor);
      relay.hurry(args.route);
      return answer;
    },
  };
}

/** Operators' pauses outlive a restart. */
export async function takeUpPauses(store: ServingStore, relay: Relay): Promise<void> {
  for (const { route, paused_at } of await store.listRoutes({})) {
    if (paused_at !== null) relay.holdOn(route, Date.parse(paused_at));
  }
}
