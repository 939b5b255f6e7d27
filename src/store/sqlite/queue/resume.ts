import type { Moment } from '../../../process/clock.ts';
import { UNFINISHED } from '../../handlers/events/states.ts';
import { SHORTEN_WEBHOOK_WAITS } from '../../handlers/webhooks/waits.ts';
import type { QueueEngine } from '../../queue/engine.ts';
import { everyLane } from '../../queue/turns.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Db } from '../transaction.ts';

const BRING_FORWARD = `
  UPDATE delivery SET due_at = :latest WHERE (event_id, device_id) IN (
    SELECT event_id, device_id FROM delivery
    WHERE state = 'pending' AND route = :route AND lane = :lane AND workspace_id = :workspaceId AND due_at > :latest
    LIMIT :limit)`;

const LIFE_MS = 'min(coalesce(expires_in * 1000, :ttlMs), :ttlMs)';

const CUT_SHORT = `
  UPDATE event SET expires_at = :steadyMs + ${LIFE_MS} WHERE id IN (
    SELECT id FROM event WHERE ${UNFINISHED} AND expires_at > :steadyMs + ${LIFE_MS} LIMIT :limit)`;

/** Ends the leases of the last process, which has ended. */
const FREE_WEBHOOKS =
  'UPDATE webhook SET busy_until = 0 WHERE id IN (SELECT id FROM webhook WHERE busy_until > 0 LIMIT :most)';

const ROWS_PER_CALL = 400;

/**
 * Takes over the last process's queue, a part per call. Returns whether that is done. Then nothing waits beyond the
 * longest wait, or outlives a new event.
 *
 * The steady clock starts at the wall clock, so a wall clock that was set back leaves times days ahead. Otherwise this
 * costs one seek per lane and workspace, and an index scan of waiting events.
 */
export function resuming(
  db: Db,
  settings: StoreSettings,
  engine: Pick<QueueEngine, 'workspaces'>,
): (now: Moment) => boolean {
  const { ttlMs, longestWaitMs } = settings;
  const bringForward = db.prepare(BRING_FORWARD);
  const cutShort = db.prepare(CUT_SHORT);
  const ofWebhooks = [FREE_WEBHOOKS, ...SHORTEN_WEBHOOK_WAITS].map((text) => db.prepare(text));

  return ({ steadyMs }) => {
    let left = ROWS_PER_CALL;
    for (const statement of ofWebhooks) {
      left -= statement.run({ steadyMs, most: left }).changes;
      if (left <= 0) return false;
    }
    left -= cutShort.run({ steadyMs, ttlMs, limit: left }).changes;
    if (left <= 0) return false;
    for (const lane of everyLane()) {
      for (const workspaceId of engine.workspaces(lane)) {
        const params = { ...lane, workspaceId, latest: steadyMs + longestWaitMs, limit: left };
        left -= bringForward.run(params).changes;
        if (left <= 0) return false;
      }
    }
    return true;
  };
}
