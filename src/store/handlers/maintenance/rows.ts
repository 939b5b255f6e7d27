import type { MaintenanceWindow } from '../../../contract/loudness.ts';
import type { Maintenance, PlannedWindow } from '../../../contract/maintenance.ts';
import type { Moment } from '../../../process/clock.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import type { Sql } from '../../sql.ts';

export interface WindowRow {
  readonly id: number;
  readonly publicId: string;
  readonly workspaceId: number;
  readonly channelId: number;
  /** Slug. */
  readonly channel: string;
  readonly channelName: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly only: string | null;
  readonly note: string | null;
  readonly cron: string | null;
  readonly timezone: string | null;
  readonly lengthS: number | null;
  readonly madeBy: string;
  readonly name: string;
  readonly createdAtMs: number;
}

/** Join; filter behind it. Excludes deleted channels' and workspaces' rows. */
export const WINDOWS = `
  SELECT maintenance.id, public_id AS "publicId", maintenance.workspace_id AS "workspaceId", channel_id AS "channelId",
    channel.slug AS channel, channel.name AS "channelName", from_at AS "fromMs", until_at AS "untilMs", only_key AS only,
    note, cron, timezone, length AS "lengthS", made_by AS "madeBy", maintenance.name, maintenance.created_at AS "createdAtMs"
  FROM maintenance JOIN channel ON channel.id = maintenance.channel_id
  JOIN workspace ON workspace.id = maintenance.workspace_id`;

/** SQL: whether a begun window covers a row of `alert`, until a round has ended the window, at :wallMs. */
export const HOLDS = `maintenance.channel_id = alert.channel_id AND maintenance.from_at <= CAST(:wallMs AS BIGINT)
  AND window_covers(maintenance.only_key, alert.collapse_key)`;

/** SQL: whether a row of `alert` waits for a window. Same rule: `keep_bundles` (PostgreSQL). */
export const IS_HELD = `EXISTS (SELECT 1 FROM maintenance WHERE ${HOLDS})`;

/** SQL: earliest end of waiting; NULL: none. */
export const HELD_UNTIL = `(SELECT max(maintenance.until_at) FROM maintenance WHERE ${HOLDS})`;

export function planOf({ fromMs, untilMs, cron, timezone, lengthS }: WindowRow): PlannedWindow {
  const recurrence = cron === null || lengthS === null ? null : { cron, timezone: timezone ?? 'UTC', lengthS };
  return { fromMs, untilMs, recurrence };
}

export function shownWindow(row: WindowRow, { wallMs }: Pick<Moment, 'wallMs'>): Maintenance {
  return {
    id: row.publicId,
    channel: row.channel,
    channel_name: row.channelName,
    state: row.fromMs <= wallMs ? (row.untilMs > wallMs ? 'on' : 'over') : 'planned',
    from: toTimestamp(row.fromMs),
    until: toTimestamp(row.untilMs),
    only: row.only,
    note: row.note,
    cron: row.cron,
    for: row.lengthS,
    timezone: row.timezone,
    by: row.name,
    created_at: toTimestamp(row.createdAtMs),
  };
}

/** A current or planned window of `channel.windows`. */
export interface WindowOfChannel extends MaintenanceWindow {
  readonly fromMs: number;
}

const OF_CHANNEL = `
  SELECT from_at AS "fromMs", until_at AS "untilMs", only_key AS only, name AS by FROM maintenance
  WHERE channel_id = CAST(:channelId AS BIGINT) ORDER BY from_at, id`;

/** Writes a channel's windows to its row, so accepting reads nothing more. Every change of a window ends with it. */
export function windowsOfChannel(sql: Sql): (channelId: number) => Promise<void> {
  const windows = sql.all<{ channelId: number }, WindowOfChannel>(OF_CHANNEL);
  const write = sql.run<{ channelId: number; windows: string | null }>(
    'UPDATE channel SET windows = CAST(:windows AS TEXT) WHERE id = :channelId',
  );
  return async (channelId) => {
    const found = await windows({ channelId });
    await write({ channelId, windows: found.length === 0 ? null : JSON.stringify(found) });
  };
}
