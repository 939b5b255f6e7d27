import type { RoutePause, RouteState } from '../store/calls.ts';

export function isServed(routes: readonly RouteState[]): boolean {
  return routes.some(({ live }) => live !== null);
}

/**
 * Returns why a route is paused. Without a server, only operators' pauses are known; a running one may learn them a
 * moment later.
 */
export function pauseOf({ paused_at, live }: RouteState): RoutePause | null {
  const seen = live?.pause ?? null;
  if (seen !== null && seen.kind !== 'operator') return seen;
  return paused_at === null ? null : { kind: 'operator', reason: 'an operator paused it', since: paused_at };
}
