import { DEAD_LANE, deadLetterReason } from '../../queue/dead-letter.ts';
import type { FanOutKey } from '../../queue/fan-out-pages.ts';
import type { Db } from '../transaction.ts';

const ADD = `
  INSERT INTO dead_letter (event_id, route, lane, workspace_id, at, reason)
  VALUES (:eventId, :route, :lane, :workspaceId, :wallMs, :reason) ON CONFLICT DO NOTHING`;

const MOVE_FAN_OUT = `
  UPDATE fan_out SET lane = :to
  WHERE route = :route AND lane = :from AND workspace_id = :workspaceId AND event_id = :eventId`;

const MOVE_RETRIES = `
  UPDATE delivery SET lane = :to WHERE event_id = :eventId AND route = :route AND lane = :from AND state = 'pending'`;

const FORGET = `
  DELETE FROM dead_letter WHERE event_id = coalesce(?, event_id)
  RETURNING event_id AS eventId, route, lane, workspace_id AS workspaceId`;

/** Events that an error of pushctl keeps unsent or unrecorded: pending, blocking nothing. */
export function deadLetters(db: Db) {
  const add = db.prepare(ADD);
  const moveFanOut = db.prepare(MOVE_FAN_OUT);
  const moveRetries = db.prepare(MOVE_RETRIES);
  const forget = db.prepare<[number | null], FanOutKey>(FORGET);

  function move({ eventId, route, workspaceId }: FanOutKey, from: string, to: string): void {
    moveFanOut.run({ eventId, route, workspaceId, from, to });
    moveRetries.run({ eventId, route, from, to });
  }

  return {
    add(key: FanOutKey, error: unknown, wallMs: number): void {
      const { eventId, route, lane, workspaceId } = key;
      add.run({ eventId, route, lane, workspaceId, wallMs, reason: deadLetterReason(error) });
      move(key, lane, DEAD_LANE);
    },

    /** Returns all events, or one, to their lanes. Returns which. */
    bringBack(eventId: number | null = null): readonly FanOutKey[] {
      const keys = forget.all(eventId);
      for (const key of keys) move(key, DEAD_LANE, key.lane);
      return keys;
    },
  };
}
export type DeadLetters = ReturnType<typeof deadLetters>;
