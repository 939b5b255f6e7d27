import type { RoutePause, RouteState } from '../store/calls.ts';

/** Whether a server runs. */
export function isServed(routes: readonly RouteState[]): boolean {
  return routes.some(({ live }) => live !== null);
}

/**
 * Why a route lets nothing out. Where no server runs, only what operators paused is known; one that runs may hear of
 * that a moment later.
 */
export function pauseOf({ paused_at, live }: RouteState): RoutePause | null {
  const seen = live?.pause ?? null;
  if (seen !== null && seen.kind !== 'operator') return seen;
  return paused_at === null ? null : { kind: 'operator', reason: 'an operator paused it', since: paused_at };
}
