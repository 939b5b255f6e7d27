import type { Moment } from '../../../process/clock.ts';
import type { AlertEnd } from '../../calls.ts';
import type { StoreSettings } from '../../settings.ts';
import { ID_LIST, idList, MOST_IDS, type Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { type EndedMaintenance, windowEnds } from '../maintenance/ending.ts';
import { HELD_UNTIL } from '../maintenance/rows.ts';
import { earlyWidening, FIRST_TURN, WATCH_MS } from '../on-call/early-widening.ts';
import { shiftThere } from '../on-call/restarting.ts';
import { alertAudit } from './acting.ts';
import { IS_FOR_ALL, IS_LIVE } from './alert-rows.ts';
import { type AlertEnds, alertEnds, IS_OVER } from './ends.ts';
import { escalating } from './escalating.ts';
import { NOTIFIED, type NotifiedAlert, notifying, ROWS_OF_EVENT } from './notifying.ts';
import { type DueChannel, IS_FROM_AHEAD, IS_SETTLED, reminding, type Shown } from './reminding.ts';
import { reopening } from './reopening.ts';

/** Ends counted per call. */
const MOST_TIMES = 200;
/** Alerts rescheduled per call, each with the channels that it has reached. */
const MOST_ANEW = 50;
/** Alerts examined per call. */
const MOST_LOOKED_AT = 100;
/** Most rows per call; the next call does the rest. */
const MOST_ROWS = 200;
/** A due alert's rows: itself, waiting pushes, audit entry, webhook messages. */
const ROWS_OF_DUE = 5;

const NEXT = `
  SELECT min(at) AS at FROM (
    SELECT min(next_at) AS at FROM insisting
    UNION ALL SELECT CAST(:steadyMs AS BIGINT) WHERE EXISTS (SELECT 1 FROM insisting WHERE ${IS_FROM_AHEAD})
    UNION ALL SELECT min(due_at) FROM alert WHERE due_at IS NOT NULL
    UNION ALL SELECT min(until_at) - CAST(:wallMs AS BIGINT) + CAST(:steadyMs AS BIGINT) FROM maintenance
    UNION ALL SELECT CASE WHEN max(set_at) > CAST(:steadyMs AS BIGINT) THEN CAST(:steadyMs AS BIGINT) END
      FROM alert WHERE due_at IS NOT NULL
  ) AS next`;

/** Restarts an alert's times after a clock setback: nothing takes longer than planned. */
const COUNT_ANEW = `
  UPDATE alert SET stops_at = stops_at - set_at + CAST(:steadyMs AS BIGINT),
    escalate_at = escalate_at - set_at + CAST(:steadyMs AS BIGINT),
    snoozed_until = snoozed_until - set_at + CAST(:steadyMs AS BIGINT),
    acted_at = acted_at - set_at + CAST(:steadyMs AS BIGINT), before_at = before_at - set_at + CAST(:steadyMs AS BIGINT),
    assigned_until = assigned_until - set_at + CAST(:steadyMs AS BIGINT), widen_at = widen_at - set_at + CAST(:steadyMs AS BIGINT),
    due_at = due_at - set_at + CAST(:steadyMs AS BIGINT), set_at = CAST(:steadyMs AS BIGINT)
  WHERE event_id IN ${ID_LIST}`;
const FROM_AHEAD = `
  SELECT event_id FROM alert WHERE due_at IS NOT NULL AND set_at > CAST(:steadyMs AS BIGINT) ORDER BY set_at DESC LIMIT ${MOST_ANEW}`;

/**
 * Selects the next due alerts without a pending mark. An order would read all due ones. PostgreSQL scans all channels
 * for a join, but not for a scalar subquery.
 */
const dueAmong = (among: string) => `
  SELECT alert.event_id AS id, alert.workspace_id AS "workspaceId", alert.channel_id AS "channelId", alert.state,
    alert.ended_kind AS "endedKind", alert.stops_at AS "stopsAtMs", alert.snoozed_until AS "snoozedUntilMs", alert.assigned_until AS "assignedUntilMs",
    ${HELD_UNTIL} AS "heldUntilMs",
    (SELECT expires_at FROM event WHERE event.id = alert.event_id AND expires_in IS NOT NULL) AS "expiresAtMs",
    coalesce((
      SELECT 1 FROM channel JOIN workspace ON workspace.id = channel.workspace_id
      WHERE channel.id = alert.channel_id AND channel.status = 'active' AND insist_repeat IS NOT NULL
    ), 0) AS insists
  FROM alert
  WHERE alert.event_id IN (
    SELECT event_id FROM alert WHERE alert.due_at <= CAST(:steadyMs AS BIGINT) AND ${among} ORDER BY alert.due_at LIMIT ${MOST_LOOKED_AT}
  ) AND NOT (${IS_OVER}) AND ${IS_SETTLED('alert')}`;
const DUE_LIVE = dueAmong(IS_LIVE);
/** Alerts ended by sender or channel, unknown to some notified channels. */
const DUE_ENDED = dueAmong("alert.due_at IS NOT NULL AND alert.ended_kind IN ('sender', 'channel')");

/** Moves a held alert's due times to its maintenance's end, which restarts them. The event's own life continues. */
const HOLD = `
  UPDATE alert SET set_at = CAST(:steadyMs AS BIGINT),
    stops_at = CASE WHEN stops_at <= CAST(:steadyMs AS BIGINT) THEN CAST(:atMs AS BIGINT) ELSE stops_at END,
    escalate_at = CASE WHEN escalate_at <= CAST(:steadyMs AS BIGINT) THEN CAST(:atMs AS BIGINT) ELSE escalate_at END
  WHERE event_id = :id`;
const HOLD_DUE = `
  UPDATE alert SET due_at = CASE WHEN escalate_at < stops_at THEN escalate_at ELSE stops_at END WHERE event_id = :id`;
/** An ended window is closed in this round, or soon. */
const LEAST_HOLD_MS = 1_000;

/** The newest alerts that a channel ended are on phones: so many get own notices. */
const MOST_NOTICES = 20;
const IS_AMONG_NEWEST = `
  SELECT 1 FROM alert WHERE event_id = :id AND ${MOST_NOTICES} > (
    SELECT count(*) FROM (
      SELECT 1 FROM alert AS later
      WHERE later.channel_id = alert.channel_id AND later.event_id > alert.event_id AND later.ended_kind = 'channel'
        AND later.ended_at = alert.ended_at
      LIMIT ${MOST_NOTICES}
    ) AS newer
  )`;
const CHANNEL_ENDED = 'Its channel no longer reminds of it.';

/** SQL: seconds until a new alert of a channel is due. The index `channel_soonest` has the same. */
const FIRST_S = 'coalesce(ring_after, insist_repeat)';
const SOONEST = `SELECT ${FIRST_S} FROM channel WHERE insist_repeat IS NOT NULL ORDER BY ${FIRST_S} LIMIT 1`;

const INSISTING = `
  SELECT id FROM channel WHERE insist_repeat IS NOT NULL AND id > CAST(:after AS BIGINT) ORDER BY id LIMIT ${MOST_IDS}`;

/** Restores a row deleted while an alert was opened. */
const INSIST_AGAIN = `
  INSERT INTO insisting (channel_id, next_at, repeat_ms)
  SELECT id, CAST(:steadyMs AS BIGINT) + 1000 * insist_repeat, 1000 * insist_repeat FROM channel
  WHERE id IN ${ID_LIST} AND EXISTS (SELECT 1 FROM alert WHERE channel_id = channel.id AND ${IS_FOR_ALL})
    AND NOT EXISTS (SELECT 1 FROM insisting WHERE channel_id = channel.id)
  ON CONFLICT (channel_id) DO NOTHING`;

interface Due {
  readonly id: number;
  readonly workspaceId: number;
  readonly channelId: number;
  /** `resolved`: by sender or channel, unknown to some notified channels. */
  readonly state: 'open' | 'acknowledged' | 'resolved';
  readonly endedKind: string | null;
  readonly stopsAtMs: number;
  readonly snoozedUntilMs: number | null;
  readonly assignedUntilMs: number | null;
  /** Until when, at least, a maintenance holds it (wall clock); null: none. */
  readonly heldUntilMs: number | null;
  /** The sender's end of the first event's life; null: none. */
  readonly expiresAtMs: number | null;
  readonly insists: 0 | 1;
}
/**
 * Carries out what is due. A call is one transaction: reminder, queue entries and next time. Reminders missed during
 * downtime are not made up for.
 */
export function alertRounds(sql: Sql, settings: StoreSettings, deps: Pick<EngineDeps, 'postOwn'>) {
  const next = sql.value<Moment, number | null>(NEXT);
  const soonest = sql.value<object, number>(SOONEST);
  const fromAhead = sql.values<{ steadyMs: number }, number>(FROM_AHEAD);
  const countAnew = sql.run<object>(COUNT_ANEW);
  const shiftEscalations = sql.run<object>(shiftThere('set_at', ':steadyMs'));
  const dueLive = sql.all<Moment, Due>(DUE_LIVE);
  const dueEnded = sql.all<Moment, Due>(DUE_ENDED);
  const { open, openForAll, remindNow } = reopening(sql);
  const insistingChannels = sql.values<{ after: number }, number>(INSISTING);
  const insistAgain = sql.run<object>(INSIST_AGAIN);
  let passed = 0;
  const notified = sql.get<{ id: number }, NotifiedAlert>(`${NOTIFIED} WHERE alert.event_id = CAST(:id AS BIGINT)`);
  const isAmongNewest = sql.value<{ id: number }, 1>(IS_AMONG_NEWEST);
  const done = sql.run<{ id: number }>('UPDATE alert SET due_at = NULL WHERE event_id = :id');
  const repeatOf = sql.value<{ id: number }, number | null>('SELECT insist_repeat FROM channel WHERE id = :id');
  const ends: AlertEnds = alertEnds(sql);
  const notify = notifying(sql, deps);
  const escalate = escalating(sql);
  const record = alertAudit(sql);
  const hold = sql.run<object>(HOLD);
  const holdDue = sql.run<{ id: number }>(HOLD_DUE);
  const endWindows = windowEnds(sql, deps);
  const { dueChannels, remind, remindAt } = reminding(sql, notify, settings);
  const early = earlyWidening(sql, settings);

  /** Restarts the times of alerts after a clock setback. Returns whether that was all. */
  async function restartFromAhead({ steadyMs }: Moment): Promise<boolean> {
    const ids = await fromAhead({ steadyMs });
    if (ids.length === 0) return true;
    await shiftEscalations({ ...idList(ids), steadyMs });
    await countAnew({ ...idList(ids), steadyMs });
    return ids.length < MOST_ANEW;
  }

  async function openAgain(alert: Due, now: Moment): Promise<void> {
    await open(alert, now, null);
    await remindNow(alert.channelId, now, null);
  }

  /** Announces an alert's end by sender or channel. Returns how many events it posted. */
  async function notifyOfEnd({ id, endedKind }: Due, now: Moment): Promise<number> {
    await done({ id });
    const alert = await notified({ id });
    if (alert === undefined) return 0;
    // The sender's event already told its own channel.
    if (endedKind === 'sender') return notify.noticeElsewhere(alert, now);
    if ((await isAmongNewest({ id })) === undefined) return 0;
    const posted = await notify.notice(alert, CHANNEL_ENDED, 1, now);
    return posted + (await notify.endBundles(alert, now));
  }

  /** Whether the alert waits for a maintenance. */
  function isHeld({ heldUntilMs, stopsAtMs, expiresAtMs }: Due, { steadyMs }: Moment): boolean {
    const isExpired = expiresAtMs !== null && expiresAtMs <= steadyMs && stopsAtMs <= steadyMs;
    return heldUntilMs !== null && !isExpired;
  }

  async function holdBack({ id, heldUntilMs }: Due, { wallMs, steadyMs }: Moment): Promise<void> {
    const atMs = steadyMs + Math.max(LEAST_HOLD_MS, (heldUntilMs ?? wallMs) - wallMs);
    await hold({ id, steadyMs, atMs });
    await holdDue({ id });
  }

  /** Returns the number of posted events. */
  async function expire(due: Due, now: Moment): Promise<number> {
    if (!(await ends.end(due, 'expired', { kind: 'time', name: null, actor: null }, now))) return 0;
    const alert = await notified(due);
    if (alert === undefined) return 0;
    await record('alert.expire', alert, now);
    return notify.notice(alert, 'It has expired: no one has acknowledged it.', 1, now);
  }

  return {
    async nextRound({ paused = [], turn = FIRST_TURN }, now) {
      const at = (await next(now)) ?? null;
      const look = await early.look(turn, paused, now);
      const lookMs = look === null ? [] : [look.found.length > 0 ? 0 : WATCH_MS];
      const times = [...(at === null ? [] : [Math.max(0, at - now.steadyMs)]), ...lookMs];
      const soonestS = await soonest({});
      return {
        inMs: times.length === 0 ? null : Math.min(...times),
        soonestMs: soonestS === undefined ? null : 1000 * soonestS,
        ...(look !== null && { turn: look.turn, unheardIn: look.found }),
      };
    },

    async runRound({ paused = [], unheardIn = [] }, now) {
      const { steadyMs } = now;
      const ended: Partial<Record<AlertEnd, number>> = {};
      const workspaces = new Set<number>();
      const countEnd = (end: AlertEnd) => {
        ended[end] = (ended[end] ?? 0) + 1;
      };
      /** Newly reached channels, by the alerts' own. */
      const reached = new Map<number, Map<number, Shown>>();
      let rows = 0;
      let reminders = 0;

      async function takeEnded(): Promise<void> {
        for (const { workspaceId, end } of await ends.takeEnded(now, MOST_TIMES)) {
          workspaces.add(workspaceId);
          countEnd(end);
          rows += 1;
        }
      }

      /** Returns roughly how many rows it changed. */
      async function seeTo(alert: Due): Promise<number> {
        const { id, channelId, state, stopsAtMs, snoozedUntilMs } = alert;
        workspaces.add(alert.workspaceId);
        if (state === 'resolved') {
          countEnd(alert.endedKind === 'channel' ? 'channel' : 'sender');
          return ROWS_OF_DUE + ROWS_OF_EVENT * (await notifyOfEnd(alert, now));
        }
        if (alert.insists === 0) {
          await ends.endAllOf(channelId, now);
          return MOST_ROWS;
        }
        if (state === 'acknowledged') {
          if (snoozedUntilMs !== null) await openAgain(alert, now);
          else await ends.end(alert, 'resolved', { kind: 'time', name: null, actor: null }, now);
        } else if (alert.assignedUntilMs !== null) {
          await openForAll(alert, now);
          await remindNow(channelId, now, null);
        } else if (isHeld(alert, now)) {
          await holdBack(alert, now);
        } else if (stopsAtMs <= steadyMs) {
          return ROWS_OF_DUE + ROWS_OF_EVENT * (await expire(alert, now));
        } else {
          const target = await escalate(id, now);
          if (target !== null) reached.set(channelId, (reached.get(channelId) ?? new Map()).set(target.target, target));
        }
        return ROWS_OF_DUE + ROWS_OF_EVENT;
      }

      async function remindOf(channel: DueChannel): Promise<void> {
        const { channelId } = channel;
        workspaces.add(channel.workspaceId);
        const arrived = reached.get(channelId);
        reached.delete(channelId);
        if (channel.insists === 0) {
          await ends.endAllOf(channelId, now);
          rows += MOST_ROWS;
          return;
        }
        const { areOpen, targets } = await remind(channel, now, { paused, ...(arrived && { arrived }) });
        if (areOpen) reminders += 1;
        rows += 2 + targets * ROWS_OF_EVENT;
      }

      /** Reminds of open alerts after a maintenance. */
      async function sayOpen({ channelId, workspaceId, repeatS }: EndedMaintenance): Promise<number> {
        await remindNow(channelId, now, null);
        const channel = { workspaceId, channelId, nextAtMs: steadyMs, repeatS, notFor: null, insists: 1 } as const;
        const { areOpen, targets } = await remind(channel, now, { isAfterMaintenance: true, paused });
        if (areOpen) reminders += 1;
        return 2 + targets * ROWS_OF_EVENT;
      }

      if (await restartFromAhead(now)) {
        await takeEnded();
        for (const alert of [...(await dueLive(now)), ...(await dueEnded(now))]) {
          if (rows < MOST_ROWS) rows += await seeTo(alert);
        }
        // An alert that expires now would withdraw the bundle.
        const windows = await endWindows(MOST_ROWS - rows, sayOpen, now);
        rows += windows.rows;
        for (const id of windows.workspaces) workspaces.add(id);
        const insisting = await insistingChannels({ after: passed });
        if (insisting.length > 0) await insistAgain({ ...idList(insisting), steadyMs });
        passed = insisting.length < MOST_IDS ? 0 : (insisting.at(-1) ?? 0);
        await early.widen(unheardIn, paused, now);
        for (const channel of await dueChannels(now)) if (rows < MOST_ROWS) await remindOf(channel);
        for (const [channelId, targets] of reached) {
          const lifeS = (await repeatOf({ id: channelId })) ?? 0;
          for (const target of targets.values())
            await remindAt({ channelId, ...target }, lifeS, now, { isFirst: true, paused });
        }
        await takeEnded();
      }
      return { reminders, ended, workspaces: [...workspaces] };
    },
  } satisfies SomeHandlers;
}
