import type { Clock } from '../clock.ts';
import type { Relay } from '../delivery/relay.ts';
import type { Route } from '../push.ts';
import type { LiveRoute } from '../store/calls.ts';
import { toTimestamp } from '../timestamp.ts';

/** The state of the relay's routes, with wall clock times in place of steady ones. */
export function liveRoutes(relay: Pick<Relay, 'pauses'>, clock: Clock): ReadonlyMap<Route, LiveRoute> {
  const at = (steadyMs: number) => toTimestamp(clock.wallMs() - Math.max(0, clock.steadyMs() - steadyMs));
  return new Map(
    relay.pauses().map(({ route, pause, doubt }) => [
      route,
      {
        pause: pause && { kind: pause.kind, reason: pause.reason, since: at(pause.sinceMs) },
        doubt: doubt && { reason: doubt.reason, since: at(doubt.sinceMs) },
      },
    ]),
  );
}
