/**
 * The stored form of a dead letter in both engines: an event that cannot be sent or recorded because of an error of
 * pushctl itself.
 */

/** Its lane until the next start: no claim looks there. */
export const DEAD_LANE = 'dead_letter';

/** Messages of our own and of PostgreSQL might quote a text of the event; those of SQLite and of JavaScript do not. */
export function deadLetterReason(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const isSafe = ['SqliteError', 'TypeError', 'RangeError'].includes(error.name);
  return isSafe ? `${error.name}: ${error.message}`.slice(0, 200) : error.name;
}
