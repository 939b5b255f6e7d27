import type { Db, Handlers, StoreSettings } from '../handlers.ts';
import { everyLane, type Turns } from './turns.ts';

const BRING_FORWARD = `
  UPDATE delivery SET due_at = :latest WHERE (event_id, device_id) IN (
    SELECT event_id, device_id FROM delivery
    WHERE state = 'pending' AND route = :route AND lane = :lane AND workspace_id = :workspaceId AND due_at > :latest
    LIMIT :limit)`;

/** Events expire in the order in which they came: from the newest down, up to the first that is not too far ahead. */
const CUT_SHORT = `
  UPDATE event SET expires_at = :latest
  WHERE id > coalesce((SELECT id FROM event WHERE expires_at <= :latest ORDER BY id DESC LIMIT 1), 0)`;

const ROWS_PER_CALL = 2_000;

/**
 * The steady clock starts at the wall clock's value, so a wall clock that was set back between two runs, or during the last
 * one, leaves times that lie days ahead. Where it was not, this is one seek a lane and workspace.
 */
export function resume(db: Db, { ttlMs }: StoreSettings, turns: Turns): Handlers<'resumeQueue'>['resumeQueue'] {
  const bringForward = db.prepare(BRING_FORWARD);
  const cutShort = db.prepare(CUT_SHORT);

  return ({ steadyMs, longestWaitMs }) => {
    cutShort.run({ latest: steadyMs + ttlMs });
    let left = ROWS_PER_CALL;
    for (const lane of everyLane()) {
      for (const workspaceId of turns.allWorkspaces(lane)) {
        const its = { ...lane, workspaceId, latest: steadyMs + longestWaitMs, limit: left };
        left -= bringForward.run(its).changes;
        if (left <= 0) return { more: true };
      }
    }
    return { more: false };
  };
}
