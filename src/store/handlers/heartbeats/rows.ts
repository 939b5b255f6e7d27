import type { HeartbeatState, Schedule } from '../../../contract/heartbeats.ts';
import type { Moment } from '../../../process/clock.ts';
import { toTimestampOrNull } from '../../../values/timestamp.ts';
import type { AddressedHeartbeat, Heartbeat } from '../../calls/heartbeats.ts';

/** `At` times are the queue clock's; `last` ones the wall clock's, for people. */
export interface HeartbeatRow extends Schedule {
  readonly id: number;
  readonly workspaceId: number;
  readonly channelId: number;
  readonly channel: string;
  readonly channelName: string;
  readonly slug: string;
  readonly name: string;
  readonly uuid: string;
  readonly state: Exclude<HeartbeatState, 'late'>;
  readonly lastPingAt: number | null;
  readonly lastStartAt: number | null;
  readonly lastDurationMs: number | null;
  readonly lastOutput: string | null;
  /** The unended run's start. */
  readonly startedAt: number | null;
  readonly rid: string | null;
  readonly dueAt: number | null;
  /** Failures in a row. */
  readonly failed: number;
  /** The time at which a missing ping or unended run counts as missed; null: nothing is expected. */
  readonly downAt: number | null;
  /** Since when it is reported down, until reported back; even while paused. */
  readonly downSince: number | null;
  /** Since when the heartbeat's changes are not reported singly (reporting.ts). */
  readonly flapsSince: number | null;
  /** Origin of the key whose ping made it; null: none. */
  readonly madeBy: string | null;
  /** Origin of the key that last pinged it by name; null: none. */
  readonly pingedBy: string | null;
  /** The time of reporting the lasting state. */
  readonly reportAt: number | null;
  /** The wall clock's adjustment in ms since `dueAt` was set. */
  readonly jumpMs: number;
}

/** Heartbeats of deleted channels and workspaces wait for removal, and do not exist. */
export const HEARTBEATS = `heartbeat JOIN channel ON channel.id = heartbeat.channel_id
  JOIN workspace ON workspace.id = heartbeat.workspace_id`;

/** The time of all outages so far, by which the stored deadlines lie earlier. */
export const LOST = 'coalesce((SELECT lost FROM heartbeat_mark WHERE id = 1), 0)';
const JUMPED = 'coalesce((SELECT jumped FROM heartbeat_mark WHERE id = 1), 0)';

/** The state in `showHeartbeat`. */
export const SHOWN_STATE = `CASE WHEN heartbeat.state = 'up' AND heartbeat.due_at + ${LOST} <= CAST(:steadyMs AS BIGINT) THEN 'late'
  ELSE heartbeat.state END`;

export const HEARTBEAT = `
  SELECT heartbeat.id, heartbeat.workspace_id AS "workspaceId", channel_id AS "channelId", channel.slug AS channel,
    channel.name AS "channelName", heartbeat.slug, heartbeat.name, uuid, every, cron, timezone, grace, failures, failed, state, last_ping_at AS "lastPingAt",
    last_start_at AS "lastStartAt", last_duration AS "lastDurationMs", last_output AS "lastOutput",
    started_at + ${LOST} AS "startedAt", rid, due_at + ${LOST} AS "dueAt", down_at + ${LOST} AS "downAt", down_since AS "downSince",
    flaps_since AS "flapsSince", report_at + ${LOST} AS "reportAt",
    made_by AS "madeBy", pinged_by AS "pingedBy",
    CASE WHEN cron IS NOT NULL AND due_at IS NOT NULL THEN ${JUMPED} - jumped ELSE 0 END AS "jumpMs"
  FROM ${HEARTBEATS}`;

/** Stores changes in a row caught up with the wall clock (passing-time.ts). */
export const MOVE_ON = `
  UPDATE heartbeat SET state = :state, failed = :failed, last_ping_at = :lastPingAt, last_start_at = :lastStartAt,
    last_duration = :lastDurationMs, last_output = :lastOutput, started_at = CAST(:startedAt AS BIGINT) - ${LOST}, rid = :rid,
    due_at = CAST(:dueAt AS BIGINT) - ${LOST}, down_at = CAST(:downAt AS BIGINT) - ${LOST}, down_since = :downSince,
    flaps_since = :flapsSince, report_at = CAST(:reportAt AS BIGINT) - ${LOST}, pinged_by = :pingedBy, jumped = ${JUMPED}
  WHERE id = :id`;

/** Shows a heartbeat with its ping address: for owners, admins and operators. */
export function showAddressed(row: HeartbeatRow, now: Moment): AddressedHeartbeat {
  return { ...showHeartbeat(row, now), uuid: row.uuid };
}

export function showHeartbeat(row: HeartbeatRow, now: Moment): Heartbeat {
  const onWall = (steadyMs: number | null) =>
    toTimestampOrNull(steadyMs === null ? null : steadyMs + now.wallMs - now.steadyMs);
  const isLate = row.state === 'up' && row.dueAt !== null && row.dueAt <= now.steadyMs;
  return {
    slug: row.slug,
    name: row.name,
    channel: row.channel,
    channel_name: row.channelName,
    every: row.every,
    cron: row.cron,
    timezone: row.timezone,
    grace: row.grace,
    failures: row.failures,
    uuid: null,
    state: isLate ? 'late' : row.state,
    last_ping_at: toTimestampOrNull(row.lastPingAt),
    last_start_at: toTimestampOrNull(row.lastStartAt),
    last_duration_ms: row.lastDurationMs,
    due_at: onWall(row.dueAt),
    down_since: onWall(row.downSince),
    flaps_since: onWall(row.flapsSince),
    last_output: row.lastOutput,
  };
}
