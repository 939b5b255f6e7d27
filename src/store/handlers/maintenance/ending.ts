import { v7 } from 'uuid';
import { storedLoudness } from '../../../contract/loudness.ts';
import { followingTimes, windowTimeInWords } from '../../../contract/maintenance.ts';
import type { Moment } from '../../../process/clock.ts';
import { ID_LIST, idList, indexRange, type Sql } from '../../sql.ts';
import { IS_FOR_ALL, LAST_REACHED } from '../alerts/alert-rows.ts';
import { ROWS_OF_EVENT } from '../alerts/notifying.ts';
import { IS_SETTLED } from '../alerts/reminding.ts';
import type { EngineDeps } from '../handler.ts';
import { RESTART_THERE } from '../on-call/restarting.ts';
import { HOLDS, planOf, WINDOWS, type WindowRow, windowsOfChannel } from './rows.ts';

/** Alerts restarted together, each with the channels that it has reached. */
const MOST_TOGETHER = 50;
/** Windows ended per call. */
const MOST_ENDED = 20;

/** Windows that are over, unless alerts of the channel have marks to follow. */
const OVER = `
  ${WINDOWS.replace('SELECT ', 'SELECT maintenance.cursor, maintenance.ended, channel.status, insist_repeat AS "repeatS", ')}
  WHERE maintenance.id IN (
    SELECT id FROM maintenance WHERE until_at <= CAST(:wallMs AS BIGINT) AND ${IS_SETTLED('maintenance')} ORDER BY until_at LIMIT ${MOST_ENDED}
  ) ORDER BY until_at, maintenance.id`;

/** A deleted channel's rows, which no round ends. */
const ORPHANS = `
  DELETE FROM maintenance WHERE id IN (
    SELECT id FROM maintenance WHERE until_at <= CAST(:wallMs AS BIGINT) ORDER BY until_at LIMIT ${MOST_ENDED}
  ) AND NOT EXISTS (
    SELECT 1 FROM channel JOIN workspace ON workspace.id = channel.workspace_id WHERE channel.id = maintenance.channel_id
  )`;

const IS_MEANT = 'window_covers(ending.only_key, alert.collapse_key)';
/** Another begun window covers the alert, and no round has ended it. */
const IS_HELD_ELSEWHERE = `EXISTS (SELECT 1 FROM maintenance WHERE ${HOLDS} AND maintenance.id <> ending.id)`;

/** Open alerts that waited for the window. */
const WAITED = `
  SELECT alert.event_id FROM maintenance AS ending CROSS JOIN alert
  WHERE ending.id = CAST(:id AS BIGINT) AND ${indexRange('alert', ['channel_id', 'event_id'], ':channelId', ':from')}
    AND ${IS_FOR_ALL} AND ${IS_MEANT}
  ORDER BY alert.channel_id, alert.event_id LIMIT ${MOST_TOGETHER}`;

const IS_ANY_LEFT = `
  SELECT 1 FROM maintenance AS ending CROSS JOIN alert
  WHERE ending.id = CAST(:id AS BIGINT) AND ${indexRange('alert', ['channel_id', 'event_id'], ':channelId')}
    AND ${IS_FOR_ALL} AND ${IS_MEANT} AND NOT ${IS_HELD_ELSEWHERE}
  ORDER BY alert.channel_id, alert.event_id LIMIT 1`;

/** Restarts an alert's times from now. The event's own life ends unchanged. */
const COUNT_FROM_NOW = `
  UPDATE alert SET set_at = CAST(:steadyMs AS BIGINT),
    stops_at = coalesce((
      SELECT event.expires_at FROM event, channel
      WHERE event.id = alert.event_id AND channel.id = alert.channel_id AND event.expires_in IS NOT NULL
        AND event.expires_at > CAST(:steadyMs AS BIGINT) AND event.expires_at < CAST(:steadyMs AS BIGINT) + 1000 * insist_until
    ), (SELECT CAST(:steadyMs AS BIGINT) + 1000 * insist_until FROM channel WHERE channel.id = alert.channel_id), stops_at),
    escalate_at = CASE WHEN escalate_at IS NOT NULL THEN coalesce((
      SELECT CAST(:steadyMs AS BIGINT) + 1000 * last.escalate_after FROM channel AS last WHERE last.id = ${LAST_REACHED}
    ), CAST(:steadyMs AS BIGINT)) END,
    widen_at = (SELECT CAST(:steadyMs AS BIGINT) + 1000 * widen_after FROM channel WHERE channel.id = alert.channel_id)
  WHERE event_id IN ${ID_LIST}`;
const SET_DUE = `
  UPDATE alert SET due_at = CASE WHEN escalate_at < stops_at THEN escalate_at ELSE stops_at END WHERE event_id IN ${ID_LIST}`;

const RECUR = `
  UPDATE maintenance SET from_at = :fromMs, until_at = :untilMs, cursor = 0 WHERE id = :id`;

interface OverRow extends WindowRow {
  readonly cursor: number;
  readonly ended: 0 | 1;
  readonly status: 'active' | 'inactive';
  readonly repeatS: number | null;
}

const AUDIT = `
  INSERT INTO audit (at, actor_kind, actor, action, workspace, object)
  SELECT :wallMs, 'operator', 'pushctl', 'maintenance.end', slug, :object FROM workspace WHERE id = :workspaceId`;

interface EndedWindows {
  /** Roughly the changed rows. */
  readonly rows: number;
  /** Workspaces of windows that are over, by internal id. */
  readonly workspaces: readonly number[];
}

/** The channel of an ended window. */
export interface EndedMaintenance {
  readonly channelId: number;
  readonly workspaceId: number;
  readonly repeatS: number;
}
/** Reports open alerts, and restarts the reminder's time. Returns roughly how many rows it changed. */
type SayOpen = (channel: EndedMaintenance) => Promise<number>;

/**
 * Ends windows that are over. First the alerts restart their times, in steps. Then one transaction reports once what is
 * still open, and removes the window or sets its next times. Until then its alerts wait.
 */
export function windowEnds(sql: Sql, deps: Pick<EngineDeps, 'postOwn'>) {
  const over = sql.all<{ wallMs: number }, OverRow>(OVER);
  const removeOrphans = sql.run<{ wallMs: number }>(ORPHANS);
  const waited = sql.values<{ id: number; channelId: number; from: number }, number>(WAITED);
  const isAnyLeft = sql.value<{ id: number; channelId: number; wallMs: number }, 1>(IS_ANY_LEFT);
  const countFromNow = sql.run<object>(COUNT_FROM_NOW);
  const restartThere = sql.run<object>(RESTART_THERE);
  const setDue = sql.run<object>(SET_DUE);
  const moveCursor = sql.run<{ id: number; cursor: number }>('UPDATE maintenance SET cursor = :cursor WHERE id = :id');
  const recur = sql.run<object>(RECUR);
  const remove = sql.run<{ id: number }>('DELETE FROM maintenance WHERE id = :id');
  const record = sql.run<object>(AUDIT);
  const notices = windowNotices(sql, deps);
  const writeToChannel = windowsOfChannel(sql);

  /** Returns how many rows changed, and whether that was all. */
  async function restartAlerts({ id, channelId, cursor }: OverRow, { steadyMs }: Moment) {
    const ids = await waited({ id, channelId, from: cursor + 1 });
    let rowsThere = 0;
    if (ids.length > 0) {
      await countFromNow({ ...idList(ids), steadyMs });
      rowsThere = await restartThere({ ...idList(ids), fromMs: steadyMs });
      await setDue(idList(ids));
      await moveCursor({ id, cursor: ids.at(-1) ?? cursor });
    }
    return { changed: ids.length + rowsThere, isDone: ids.length < MOST_TOGETHER };
  }

  async function close(window: OverRow, sayOpen: SayOpen, now: Moment): Promise<number> {
    const { id, workspaceId, channelId, status, repeatS, ended } = window;
    const { wallMs } = now;
    const hasOpen =
      status === 'active' && repeatS !== null && (await isAnyLeft({ id, channelId, wallMs })) !== undefined;
    const { recurrence, untilMs } = planOf(window);
    const next = recurrence && followingTimes(recurrence, untilMs, wallMs);
    if (next === null) await remove({ id });
    else await recur({ id, ...next });
    await writeToChannel(channelId);
    if (ended === 0) await record({ wallMs, workspaceId, object: `${window.publicId} of ${window.channel}` });
    if (!hasOpen) {
      await notices.over(window, now);
      return ROWS_OF_EVENT;
    }
    return sayOpen({ channelId, workspaceId, repeatS });
  }

  /** Stops at about `most` changed rows: the next call continues. */
  return async function endWindows(most: number, sayOpen: SayOpen, now: Moment): Promise<EndedWindows> {
    const { wallMs } = now;
    const workspaces: number[] = [];
    const windows = await over({ wallMs });
    let rows = await removeOrphans({ wallMs });
    for (const window of windows) {
      if (rows >= most) break;
      const { changed, isDone } = await restartAlerts(window, now);
      rows += changed + 1;
      if (!isDone) continue;
      rows += 2 + (await close(window, sayOpen, now));
      workspaces.push(window.workspaceId);
    }
    return { rows, workspaces };
  };
}

/** Tells a channel's subscribers silently about its windows. Inactive channels get nothing. */
export function windowNotices(sql: Sql, { postOwn }: Pick<EngineDeps, 'postOwn'>) {
  const isActive = sql.value<{ id: number }, 1>("SELECT 1 FROM channel WHERE id = :id AND status = 'active'");

  async function post(window: WindowRow, title: string, lines: readonly string[], now: Moment): Promise<void> {
    const { workspaceId, channelId } = window;
    if ((await isActive({ id: channelId })) === undefined) return;
    const manner = { kind: 'notice', urgency: 'standard', collapseKey: null } as const;
    await postOwn(
      {
        ...manner,
        quiet: storedLoudness({ ...manner, alert: null, nowMs: now.wallMs }),
        uuid: v7({ msecs: now.wallMs }),
        workspaceId,
        channelId,
        alertId: null,
        alert: null,
        title,
        description: lines.join('\n'),
        level: 'info',
        eventType: null,
        expiresInS: null,
        occurredAtMs: null,
        oneText: null,
      },
      now,
    );
  }

  return {
    started: (window: WindowRow, now: Moment) => post(window, titleOf(window, now), detailsOf(window), now),
    changed: (window: WindowRow, now: Moment) =>
      post(window, `Changed: ${titleOf(window, now)}`, detailsOf(window), now),
    /** The window had not begun. */
    cancelled: (window: WindowRow, now: Moment) =>
      post(window, `No maintenance: ${window.channelName}`, detailsOf(window), now),
    /** Nothing that waited is open. */
    over: (window: WindowRow, now: Moment) =>
      post(window, `Maintenance over: ${window.channelName}`, detailsOf(window), now),
  };
}

function titleOf({ channelName, cron, timezone, fromMs, untilMs }: WindowRow, { wallMs }: Moment): string {
  const until = windowTimeInWords(untilMs, timezone);
  if (fromMs <= wallMs) return `Maintenance until ${until}: ${channelName}`;
  const from = windowTimeInWords(fromMs, timezone);
  return `Maintenance ${cron === null ? 'planned' : 'recurs'}, from ${from} until ${until}: ${channelName}`;
}

function detailsOf({ name, only, note }: WindowRow): readonly string[] {
  return [`By ${name}.`, ...(only === null ? [] : [`Only ${only}.`]), ...(note === null ? [] : [note])];
}
