import { type Finding, graded, outageSeverity, type Severity, warn } from '../process/finding.ts';
import { explain } from '../providers/explain.ts';
import { APP_NOT_CONFIGURED } from '../providers/outcomes/entry.ts';
import type { Route } from '../push.ts';
import type { RoutePause, RouteState } from '../store/calls.ts';

/** Returns why routes are paused, merged by the reason of unusable credentials. */
export function pauseFindings(pauses: readonly PausedRoute[], nowMs: number): Finding[] {
  const byReason = Map.groupBy(pauses, ({ route, pause: { kind, reason } }) => (kind === 'off' ? reason : route));
  return [...byReason.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { route, pause } = first;
    const and = others.length === 0 ? '' : ` with ${others.map((other) => other.route).join(', ')}`;
    const message = `has been paused${and} since ${pause.since}, and its pushes wait: ${whyPaused(pause)}`;
    return [graded(severityOf(pause, nowMs), route, message, adviceOn(route, pause))];
  });
}

interface PausedRoute {
  readonly route: Route;
  readonly pause: RoutePause;
}

/** Returns a pause's severity. Credentials never recover alone; operators' pauses are no failures. */
function severityOf({ kind, since }: RoutePause, nowMs: number): Severity {
  if (kind === 'operator') return 'warn';
  return kind === 'unavailable' ? outageSeverity(Date.parse(since), nowMs) : 'fail';
}

/** Returns the reason, with the system's words if any. */
export function whyPaused({ reason, words }: Pick<RoutePause, 'reason' | 'words'>): string {
  return words === undefined ? reason : `${reason}, ${words}`;
}

function adviceOn(route: Route, { kind, reason }: RoutePause): string {
  if (kind === 'operator') return `pushctl route resume ${route}`;
  const remedy = explain(reason)[0]?.remedy;
  if (kind === 'off') return remedy ?? 'replace the credentials: the server loads them within a minute';
  return remedy ?? `the server probes it by itself; to retry at once: pushctl route resume ${route}`;
}

/** Reports rejected devices, possibly the operator's own fault. */
export function quarantineFindings({ route, quarantined }: Pick<RouteState, 'route' | 'quarantined'>): Finding[] {
  return quarantined.map(({ reason, devices, accepted_before, since }) => {
    const isOne = devices === 1;
    const prune = `pushctl device prune --route ${route} --reason ${reason}`;
    if (reason === APP_NOT_CONFIGURED) {
      const message = `${devices} ${isOne ? 'device belongs' : 'devices belong'} to an app that is not configured, since ${since}; ${isOne ? 'its' : 'their'} pushes wait`;
      return warn(
        route,
        message,
        `add the app that pushctl device list shows to apns.topics; if the app is retired: ${prune}`,
      );
    }
    const many = `the provider has refused ${devices} ${isOne ? 'device' : 'devices'} with ${reason} since ${since}`;
    const good = accepted_before === 0 ? '' : `, ${accepted_before} of which got pushes before`;
    return warn(
      route,
      `${many}${good}; ${isOne ? 'its' : 'their'} pushes wait until a push to another device is accepted`,
      `check environment, topic and project; if they are right: ${prune}`,
    );
  });
}

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
