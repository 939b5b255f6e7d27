import type { Moment } from '../../../process/clock.ts';
import { LEVELS, type Route } from '../../../push.ts';
import { MOST_COUNTED } from '../../calls/alerts.ts';
import type { StoreSettings } from '../../settings.ts';
import { indexRange, type Sql } from '../../sql.ts';
import { IS_HELD } from '../maintenance/rows.ts';
import { onCallRounds } from '../on-call/rounds.ts';
import { IS_FOR_ALL, IS_LIVE, MOST_CHANNELS as MOST_REACHED } from './alert-rows.ts';
import {
  NAMED,
  NOTIFIED,
  type NotifiedAlert,
  type Notifying,
  type OpenAlerts,
  type ReminderManner,
  type Target,
} from './notifying.ts';

/** Channels reminded per call. */
const MOST_CHANNELS = 30;

/** A round may have waited so long for locks since it read its clock: newer rows are not from ahead. */
const ROUND_MS = 60_000;

/** A row further ahead than one repeat, and a round, predates a setback of the clock. */
export const IS_FROM_AHEAD = `next_at - repeat_ms > CAST(:steadyMs AS BIGINT) + ${ROUND_MS}`;

/** A channel's alerts wait, for seconds, while their rows have a mark to follow. */
export const IS_SETTLED = (table: string) =>
  `NOT EXISTS (SELECT 1 FROM alert_mark WHERE alert_mark.channel_id = ${table}.channel_id AND kind <> 'success')`;

const DUE_CHANNELS = `
  SELECT channel.workspace_id AS "workspaceId", insisting.channel_id AS "channelId", insisting.next_at AS "nextAtMs",
    insist_repeat AS "repeatS", insisting.not_for AS "notFor",
    CASE WHEN workspace.id IS NOT NULL AND channel.status = 'active' AND insist_repeat IS NOT NULL THEN 1 ELSE 0 END AS insists
  FROM insisting JOIN channel ON channel.id = insisting.channel_id LEFT JOIN workspace ON workspace.id = channel.workspace_id
  WHERE insisting.channel_id IN (${firstDue('next_at <= CAST(:steadyMs AS BIGINT)', 'next_at')})
    OR insisting.channel_id IN (${firstDue(IS_FROM_AHEAD, 'next_at - repeat_ms DESC')})
  ORDER BY insisting.next_at LIMIT ${MOST_CHANNELS}`;

function firstDue(condition: string, order: string): string {
  return `SELECT channel_id FROM insisting WHERE ${condition} AND ${IS_SETTLED('insisting')} ORDER BY ${order} LIMIT ${MOST_CHANNELS}`;
}

/** Excludes alerts held by maintenance. */
const IS_RUNG = `${IS_FOR_ALL} AND NOT ${IS_HELD}`;

/** Counts for every open alert of the channel. */
const COUNT_REMINDER = `
  UPDATE channel SET reminders = reminders + 1, reminded_at = :wallMs
  WHERE id = :channelId AND EXISTS (SELECT 1 FROM alert WHERE alert.channel_id = :channelId AND ${IS_RUNG})`;

/** Counts from the due time, to keep the pace; if long overdue, from now. */
const MOVE_ON = `
  UPDATE insisting SET next_at = CASE
    WHEN next_at <= CAST(:steadyMs AS BIGINT) AND next_at + CAST(:repeatMs AS BIGINT) > CAST(:steadyMs AS BIGINT)
    THEN next_at + CAST(:repeatMs AS BIGINT) ELSE CAST(:steadyMs AS BIGINT) + CAST(:repeatMs AS BIGINT) END,
    repeat_ms = CAST(:repeatMs AS BIGINT), not_for = NULL
  WHERE channel_id = :channelId`;

const FORGET = `
  DELETE FROM insisting WHERE channel_id = :channelId AND next_at = :nextAtMs
    AND NOT EXISTS (SELECT 1 FROM alert WHERE channel_id = :channelId AND ${IS_FOR_ALL})`;

const IN_CHANNEL = 'alert.channel_id = CAST(:channelId AS BIGINT)';
const WHOLE_CHANNEL = (table: string) => indexRange(table, ['channel_id', 'event_id'], ':channelId');
/** Newest first. */
const NEWEST = 'ORDER BY alert.channel_id DESC, alert.event_id DESC';
/** A channel's open alerts, continued with AND, and those reaching another channel. */
const OPEN_HERE = `alert WHERE ${WHOLE_CHANNEL('alert')} AND ${IS_RUNG}`;
const OPEN_ELSEWHERE = `escalation JOIN alert ON alert.event_id = escalation.event_id
  WHERE escalation.channel_id = CAST(:target AS BIGINT)
    AND escalation.event_id >= (
      SELECT first.event_id FROM alert AS first WHERE ${WHOLE_CHANNEL('first')} AND first.state = 'open'
      ORDER BY first.channel_id, first.event_id LIMIT 1
    )
    AND ${IN_CHANNEL} AND ${IS_RUNG}`;

const newestOf = (open: string) => `
  ${NOTIFIED} WHERE alert.event_id IN (SELECT alert.event_id FROM ${open} ${NEWEST} LIMIT ${NAMED})`;

const HIGHEST_LEVEL = `max(CASE newest.level ${LEVELS.map((level, place) => `WHEN '${level}' THEN ${place}`).join(' ')} END)`;
/** Counts the newest: storms open very many. */
const countOf = (open: string) => `
  SELECT count(*) AS count, ${HIGHEST_LEVEL} AS "levelPlace"
  FROM (SELECT newest_event_id FROM ${open} ${NEWEST} LIMIT ${MOST_COUNTED}) AS latest
  JOIN event AS newest ON newest.id = latest.newest_event_id`;

/**
 * Channels that may show a channel's alerts: itself, its policy's, and those an old live alert reached. Its policy's
 * may show ended bundles.
 */
const SHOWN_IN = `
  WITH RECURSIVE chain (id, place) AS (
    SELECT CAST(:channelId AS BIGINT), 0
    UNION ALL
    SELECT channel.escalate_to, place + 1 FROM chain JOIN channel ON channel.id = chain.id
    WHERE channel.escalate_to IS NOT NULL AND place < ${MOST_REACHED}
  )
  SELECT channel.id AS target, channel.rota_id AS "rotaId" FROM (
    SELECT id FROM chain UNION SELECT escalation.channel_id
    FROM (SELECT event_id FROM alert WHERE ${WHOLE_CHANNEL('alert')} AND ${IS_LIVE} ORDER BY alert.channel_id, alert.event_id LIMIT ${MOST_COUNTED}) AS oldest
    JOIN escalation ON escalation.event_id = oldest.event_id
  ) AS reached JOIN channel ON channel.id = reached.id
  WHERE channel.status = 'active' ORDER BY reached.id`;

export interface DueChannel {
  readonly workspaceId: number;
  readonly channelId: number;
  readonly nextAtMs: number;
  readonly repeatS: number | null;
  /** The person who gets no reminder this time. */
  readonly notFor: number | null;
  readonly insists: 0 | 1;
}
/** `rotaId`: null if it always rings for everyone. */
export type Shown = Pick<Target, 'target'> & { readonly rotaId: number | null };
type AskedTarget = Target & Pick<Moment, 'wallMs'>;
interface Counted {
  readonly count: number;
  /** Null: there are none. */
  readonly levelPlace: number | null;
}

/** `isFirst`: with this sound, alerts come to the channel for the first time. `paused`: routes that send only probes. */
interface RoundManner extends ReminderManner {
  readonly isFirst?: boolean;
  readonly paused: readonly Route[];
}
/** `arrived`: channels that an alert has reached in this round. */
interface RoundOfAll extends Omit<RoundManner, 'isFirst'> {
  readonly arrived?: ReadonlyMap<number, Shown>;
}

/** Reminds of a channel's open alerts in one push. */
export function reminding(sql: Sql, notify: Notifying, settings: Pick<StoreSettings, 'routes'>) {
  const mannerOf = onCallRounds(sql, settings);
  const dueChannels = sql.all<{ steadyMs: number }, DueChannel>(DUE_CHANNELS);
  const countReminder = sql.run<{ channelId: number; wallMs: number }>(COUNT_REMINDER);
  const moveOn = sql.run<{ channelId: number; steadyMs: number; repeatMs: number }>(MOVE_ON);
  const forget = sql.run<{ channelId: number; nextAtMs: number }>(FORGET);
  const newestHere = sql.all<AskedTarget, NotifiedAlert>(newestOf(OPEN_HERE));
  const newestElsewhere = sql.all<AskedTarget, NotifiedAlert>(newestOf(OPEN_ELSEWHERE));
  const countHere = sql.get<AskedTarget, Counted>(countOf(OPEN_HERE));
  const countElsewhere = sql.get<AskedTarget, Counted>(countOf(OPEN_ELSEWHERE));
  const shownIn = sql.all<{ channelId: number }, Shown>(SHOWN_IN);

  async function remindAt(at: Target & Shown, lifeS: number, now: Moment, how: RoundManner): Promise<void> {
    const [count, newest] = at.target === at.channelId ? [countHere, newestHere] : [countElsewhere, newestElsewhere];
    const { isFirst = false, paused, ...others } = how;
    const asked = { channelId: at.channelId, target: at.target, wallMs: now.wallMs };
    const open = openAlerts(
      await count(asked),
      (await newest(asked)).toSorted((a, b) => b.id - a.id),
    );
    const audience = open.count === 0 ? {} : await mannerOf({ ...at, level: open.level, isFirst, paused }, now);
    await notify.remind(at, open, lifeS, now, { ...others, ...audience });
  }

  /** `areOpen`: something was open. `targets`: channels reminded. */
  async function remind(
    { channelId, nextAtMs, repeatS, notFor }: DueChannel,
    now: Moment,
    { arrived, ...how }: RoundOfAll,
  ) {
    const { wallMs, steadyMs } = now;
    const lifeS = repeatS ?? 0;
    const areOpen = lifeS > 0 && (await countReminder({ channelId, wallMs })) > 0;
    const areHeld = !areOpen && (await forget({ channelId, nextAtMs })) === 0;
    if (!areOpen && !areHeld) return { areOpen, targets: await remindTargets() };
    await moveOn({ channelId, steadyMs, repeatMs: 1000 * lifeS });
    return { areOpen, targets: areOpen ? await remindTargets() : 0 };

    async function remindTargets(): Promise<number> {
      const targets = await shownIn({ channelId });
      for (const shown of targets) {
        const isFirst = arrived?.has(shown.target) || how.isAfterMaintenance;
        await remindAt({ channelId, ...shown }, lifeS, now, { notFor, ...how, ...(isFirst && { isFirst }) });
      }
      return targets.length;
    }
  }

  return {
    dueChannels: async ({ steadyMs }: Moment) => dueChannels({ steadyMs }),
    remind,
    remindAt,
  };
}

function openAlerts(counted: Counted | undefined, newest: readonly NotifiedAlert[]): OpenAlerts {
  return { count: counted?.count ?? 0, newest, level: LEVELS[counted?.levelPlace ?? 0] ?? 'info' };
}
