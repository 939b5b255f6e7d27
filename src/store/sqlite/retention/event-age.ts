import { UNFINISHED } from '../../verbs/events/unfinished.ts';

/** The columns that decide whether an event may be removed. */
export interface EventAge {
  readonly id: number;
  readonly receivedAtMs: number;
  /** Nothing of it waits to be sent any more, also not later, and no alert lives that it opened. */
  readonly finished: 0 | 1;
}

export const EVENT_AGE = `
  SELECT id, received_at AS receivedAtMs, NOT (${UNFINISHED}) AND kind IS NOT 'scheduled' AND NOT (
    alert_id IS NOT NULL AND EXISTS (
      SELECT 1 FROM alert WHERE alert.event_id = event.alert_id AND state IN ('open', 'acknowledged')
    )
  ) AS finished FROM event`;
