import { explain } from '../../providers/explain.ts';
import type { Route } from '../../push.ts';
import type { RoutePause, RouteState } from '../../store/calls.ts';
import { type Finding, warn } from './finding.ts';

/** Why the running server's routes pause. Providers without credentials are the subject of another check. */
export function routeFindings(routes: readonly RouteState[]): Finding[] {
  return routes.flatMap((each) => [...pauseFindings(each.route, each.live?.pause ?? null), ...suspectFindings(each)]);
}

export function pauseFindings(route: Route, pause: RoutePause | null): Finding[] {
  if (pause === null || pause.kind === 'off') return [];
  const advice =
    pause.kind === 'operator'
      ? `pushctl route resume ${route}`
      : (explain(pause.reason)[0]?.remedy ?? `it is probed by itself; to try at once: pushctl route resume ${route}`);
  return [warn(route, `is paused since ${pause.since}, and its pushes wait: ${pause.reason}`, advice)];
}

/** Devices that are refused for what may be the operator's own fault. */
export function suspectFindings({ route, suspects }: Pick<RouteState, 'route' | 'suspects'>): Finding[] {
  return suspects.map(({ reason, devices, accepted_before, since }) => {
    const isOne = devices === 1;
    const many = `${devices} ${isOne ? 'device is' : 'devices are'} refused with ${reason} since ${since}`;
    const good = accepted_before === 0 ? '' : `, ${accepted_before} of which took pushes before`;
    return warn(
      route,
      `${many}${good}; ${isOne ? 'its' : 'their'} pushes wait until a push to another device shows whose fault it is`,
      `where environment, topic and project are right: pushctl device prune --route ${route} --reason ${reason}`,
    );
  });
}
