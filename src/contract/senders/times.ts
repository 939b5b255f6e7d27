import { LAST_MS, toTimestamp } from '../../values/timestamp.ts';
import type { SenderEvent } from './format.ts';

/**
 * The latest of these times, in Unix milliseconds, as the field of an event; nothing where there is none. Programs that
 * know no time write 0 or, in Go, the first day of year 1; milliseconds where seconds are meant lie beyond all years.
 */
export function occurredAt(timesMs: readonly (number | null)[]): Pick<SenderEvent, 'occurred_at'> {
  const latestMs = timesMs.reduce<number>((latest, atMs) => {
    return atMs !== null && atMs > latest && atMs <= LAST_MS ? atMs : latest;
  }, 0);
  return latestMs === 0 ? {} : { occurred_at: toTimestamp(latestMs) };
}
