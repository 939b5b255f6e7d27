import type { Relay } from '../delivery/relay.ts';
import type { Clock } from '../process/clock.ts';
import type { Route } from '../push.ts';
import type { LiveRoute } from '../store/calls.ts';
import { withCalls } from '../store/client.ts';
import { livePauses } from '../store/live-pauses.ts';
import type { ServingStore } from '../store/serving-store.ts';
import { toTimestamp } from '../values/timestamp.ts';
import type { OperatorPauses } from './operator-pauses.ts';

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
