import { UNFINISHED } from '../queue/event-heads.ts';

/** The columns that decide whether an event may be removed. */
export interface EventAge {
  readonly id: number;
  readonly receivedAtMs: number;
  /** Nothing of it waits to be sent any more. */
  readonly finished: 0 | 1;
}

export const EVENT_AGE = `SELECT id, received_at AS receivedAtMs, NOT (${UNFINISHED}) AS finished FROM event`;
