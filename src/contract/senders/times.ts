import { LAST_MS, toTimestamp } from '../../values/timestamp.ts';
import type { SenderEvent } from './format.ts';

/**
 * Returns the latest time (Unix ms) as an event's field, or nothing. Ignores 0 and Go's year 1 for unknown times, and
 * milliseconds instead of seconds.
 */
export function occurredAt(timesMs: readonly (number | null)[]): Pick<SenderEvent, 'occurred_at'> {
  const latestMs = timesMs.reduce<number>((latest, atMs) => {
    return atMs !== null && atMs > latest && atMs <= LAST_MS ? atMs : latest;
  }, 0);
  return latestMs === 0 ? {} : { occurred_at: toTimestamp(latestMs) };
}
