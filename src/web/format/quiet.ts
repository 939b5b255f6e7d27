import type { Schema } from '../api/client.ts';
import { reasons, texts } from '../texts/quiet.ts';
import { msOf, times } from './time.ts';

/** Returns e.g. `maintenance until 14:00, by Ada`. */
export function whyQuiet({ reason, until, by }: Schema<'Quiet'>): string {
  const inTime = until === undefined ? reasons[reason] : texts.until(reasons[reason], times.exact(msOf(until)));
  return by === undefined ? inTime : texts.by(inTime, by);
}
