import { HEARTBEAT_STATES, type HeartbeatState } from '../../../contract/heartbeats.ts';
import type { Sql } from '../../sql.ts';
import type { StoredHeartbeats } from '../../stored-status.ts';

const COUNTS = `
  SELECT CASE WHEN state = 'up' AND due_at <= CAST(:steadyMs AS BIGINT) THEN 'late' ELSE state END AS state,
    count(*) AS count
  FROM heartbeat GROUP BY 1`;

const DOWN = `
  SELECT workspace.slug || '/' || heartbeat.slug
  FROM heartbeat JOIN workspace ON workspace.id = heartbeat.workspace_id
  WHERE state = 'down' ORDER BY down_since LIMIT 5`;

/** `steadyMs`: the queue's time. */
export async function storedHeartbeats(sql: Sql, steadyMs: number): Promise<StoredHeartbeats> {
  const rows = await sql.all<{ steadyMs: number }, { state: HeartbeatState; count: number }>(COUNTS)({ steadyMs });
  const counts = Object.fromEntries(
    HEARTBEAT_STATES.map((state) => [state, rows.find((row) => row.state === state)?.count ?? 0]),
  ) as StoredHeartbeats['counts'];
  return { counts, down: counts.down === 0 ? [] : await sql.values<object, string>(DOWN)({}) };
}
