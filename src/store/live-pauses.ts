import type { Route } from '../push.ts';
import type { LivePauses, LiveRoute } from './calls.ts';

/** Returns the pauses that the store does not know, such as one for an unresponsive provider. */
export function livePauses(routes: ReadonlyMap<Route, LiveRoute>): LivePauses {
  const pauses = [...routes].flatMap(([route, { pause }]): [Route, string][] =>
    pause === null || pause.kind === 'operator' ? [] : [[route, pause.reason]],
  );
  return Object.fromEntries(pauses);
}
