import type { Schema } from '../api/client.ts';
import { reasons, quiet as texts } from '../texts/inbox.ts';
import { msOf, times } from './time.ts';

/** Returns e.g. `maintenance until 14:00, by Ada`, or `Bob is on call`. */
export function whyQuiet({ reason, until, by }: Schema<'Quiet'>): string {
  if (reason === 'not_on_call' && by !== undefined) return texts.isOnCall(by);
  const inTime = until === undefined ? reasons[reason] : texts.until(reasons[reason], times.exact(msOf(until)));
  return by === undefined ? inTime : texts.by(inTime, by);
}

/** Returns e.g. `Bob is on call`, and whether Bob could be reached. */
export function onCallWords({ name, reachable }: Schema<'EventOnCall'>): string {
  return reachable ? texts.isOnCall(name) : texts.isUnreachable(name);
}
