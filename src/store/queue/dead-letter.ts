/** A dead letter in both engines: an error of pushctl keeps the event from being sent or recorded. */

/** Its lane until the next start, never claimed. */
export const DEAD_LANE = 'dead_letter';

/** Our and PostgreSQL's messages might quote event texts; SQLite's and JavaScript's do not. */
export function deadLetterReason(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const isSafe = ['SqliteError', 'TypeError', 'RangeError'].includes(error.name);
  return isSafe ? `${error.name}: ${error.message}`.slice(0, 200) : error.name;
}

/** Counts what was returned to the queue. */
export function retriedOf(keys: readonly { readonly eventId: number }[]): { events: number; places: number } {
  return { events: new Set(keys.map(({ eventId }) => eventId)).size, places: keys.length };
}
