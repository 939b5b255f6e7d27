import type { Route } from '../push.ts';
import type { LivePauses, LiveRoute } from './calls.ts';

/** Returns pauses unknown to the store, such as for an unresponsive provider. */
export function livePauses(routes: ReadonlyMap<Route, LiveRoute>): LivePauses {
  const pauses = [...routes].flatMap(([route, { pause }]): [Route, string][] =>
    pause === null || pause.kind === 'operator' ? [] : [[route, pause.reason]],
  );
  return Object.fromEntries(pauses);
}
