/** Dead letters of both engines: events that an error in pushctl keeps from being sent or recorded. */

/** The lane of dead letters. Nothing in it is claimed; each start brings them back. */
export const DEAD_LANE = 'dead_letter';

/** Dead letters that came back to the queue. `isMore`: others wait for the next step. */
export interface BroughtBack<Key> {
  readonly keys: readonly Key[];
  readonly isMore: boolean;
}

/** Returns an error's name. Adds its message if that cannot quote an event, as those of PostgreSQL can. */
export function deadLetterReason(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const isSafe = ['SqliteError', 'TypeError', 'RangeError'].includes(error.name);
  return isSafe ? `${error.name}: ${error.message}`.slice(0, 200) : error.name;
}

/** Counts the events and places that came back to the queue. */
export function retriedOf({ keys, isMore }: BroughtBack<{ readonly eventId: number }>): {
  events: number;
  places: number;
  more: boolean;
} {
  return { events: new Set(keys.map(({ eventId }) => eventId)).size, places: keys.length, more: isMore };
}
