import type { Route } from '../../src/push.ts';
import type { LiveRoute } from '../../src/store/calls.ts';

/** Returns a server's report on its routes if these are paused. */
export function whilePaused(routes: readonly Route[]): ReadonlyMap<Route, LiveRoute> {
  const pause = { kind: 'unavailable', reason: 'ECONNREFUSED', since: '2026-11-21T09:30:00.123+00:00' };
  return new Map(routes.map((route) => [route, { pause, doubt: null }]));
}
