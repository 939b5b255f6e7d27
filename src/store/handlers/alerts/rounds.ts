import type { Moment } from '../../../process/clock.ts';
import { LEVELS } from '../../../push.ts';
import type { AlertEnd } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { IS_LIVE, IS_OPEN, LAST_REACHED, MOST_CHANNELS as MOST_REACHED } from './alert-rows.ts';
import { alertAudit } from './audit.ts';
import { type AlertEnds, alertEnds, IS_OVER } from './ends.ts';
import { escalating } from './escalating.ts';
import { NAMED, NOTIFIED, type NotifiedAlert, notifying, type OpenAlerts, type Target } from './notifying.ts';

/** Ends and escalations that one call sees to. */
const MOST_ENDS = 500;
/** Channels that one call reminds of. */
const MOST_CHANNELS = 100;
/** Open alerts of a channel, the newest, whose level counts in its bundle: a storm may have opened very many. */
const MOST_LOOKED_AT = 1_000;

/** A row whose time lies further ahead than one repeat is from before the clock was set back. */
const IS_DUE = '(next_at <= CAST(:steadyMs AS BIGINT) OR next_at > CAST(:steadyMs AS BIGINT) + repeat_ms)';

const NEXT = `
  SELECT min(at) AS at FROM (
    SELECT min(CASE WHEN ${IS_DUE} THEN CAST(:steadyMs AS BIGINT) ELSE next_at END) AS at FROM insisting
    UNION ALL SELECT min(due_at) FROM alert WHERE due_at IS NOT NULL
    UNION ALL SELECT CASE WHEN max(set_at) > CAST(:steadyMs AS BIGINT) THEN CAST(:steadyMs AS BIGINT) END
      FROM alert WHERE due_at IS NOT NULL
  ) AS next`;

/** Where the clock was set back, all that lies ahead of an alert counts from now, so nothing takes longer than it was to. */
const COUNT_ANEW = `
  UPDATE alert SET stops_at = stops_at - set_at + CAST(:steadyMs AS BIGINT),
    escalate_at = escalate_at - set_at + CAST(:steadyMs AS BIGINT),
    snoozed_until = snoozed_until - set_at + CAST(:steadyMs AS BIGINT),
    due_at = due_at - set_at + CAST(:steadyMs AS BIGINT), set_at = CAST(:steadyMs AS BIGINT)
  WHERE due_at IS NOT NULL AND set_at > CAST(:steadyMs AS BIGINT)`;

const DUE = `
  SELECT alert.event_id AS id, alert.workspace_id AS "workspaceId", alert.channel_id AS "channelId", alert.state,
    alert.ended_kind AS "endedKind", alert.stops_at AS "stopsAtMs", alert.snoozed_until AS "snoozedUntilMs",
    CASE WHEN channel.status = 'active' AND channel.insist_repeat IS NOT NULL THEN 1 ELSE 0 END AS insists,
    channel.insist_until AS "untilS", last.escalate_after AS "escalateAfterS", last.escalate_to AS "escalateTo"
  FROM alert LEFT JOIN channel ON channel.id = alert.channel_id LEFT JOIN channel AS last ON last.id = ${LAST_REACHED}
  WHERE alert.due_at <= CAST(:steadyMs AS BIGINT) AND NOT (${IS_OVER}) ORDER BY alert.due_at LIMIT ${MOST_ENDS}`;

/** The newest of the alerts that a channel ended together are on the phones: so many get a notice of their own. */
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

const REOPEN = `
  UPDATE alert SET state = 'open', acknowledged_kind = NULL, acknowledged_by = NULL, acknowledged_at = NULL,
    snoozed_until = NULL, stops_at = :stopsAtMs, escalate_at = :escalateAtMs, due_at = :dueAtMs, set_at = :steadyMs
  WHERE event_id = :id AND state = 'acknowledged'`;

/** Of an alert that opens again at once. */
const REMIND_NOW = `
  INSERT INTO insisting (channel_id, next_at, repeat_ms)
  SELECT id, CAST(:steadyMs AS BIGINT), 1000 * insist_repeat FROM channel
  WHERE id = :channelId AND insist_repeat IS NOT NULL
  ON CONFLICT (channel_id) DO UPDATE SET next_at = excluded.next_at`;

/** Where its row went while an alert was being opened. */
const INSIST_AGAIN = `
  INSERT INTO insisting (channel_id, next_at, repeat_ms)
  SELECT id, CAST(:steadyMs AS BIGINT) + 1000 * insist_repeat, 1000 * insist_repeat FROM channel
  WHERE insist_repeat IS NOT NULL AND EXISTS (SELECT 1 FROM alert WHERE channel_id = channel.id AND ${IS_OPEN})
    AND NOT EXISTS (SELECT 1 FROM insisting WHERE channel_id = channel.id)
  ON CONFLICT (channel_id) DO NOTHING`;

const DUE_CHANNELS = `
  SELECT channel.workspace_id AS "workspaceId", insisting.channel_id AS "channelId", insisting.next_at AS "nextAtMs",
    insist_repeat AS "repeatS",
    CASE WHEN channel.status = 'active' AND insist_repeat IS NOT NULL THEN 1 ELSE 0 END AS insists
  FROM insisting JOIN channel ON channel.id = insisting.channel_id
  WHERE ${IS_DUE} ORDER BY insisting.next_at LIMIT ${MOST_CHANNELS}`;

const COUNT_REMINDER = `
  UPDATE alert SET reminders = reminders + 1, reminded_at = :wallMs WHERE channel_id = :channelId AND ${IS_OPEN}`;

/** From when it was due, so that reminders keep their pace; where that is long ago, from now. */
const MOVE_ON = `
  UPDATE insisting SET next_at = CASE
    WHEN next_at <= CAST(:steadyMs AS BIGINT) AND next_at + CAST(:repeatMs AS BIGINT) > CAST(:steadyMs AS BIGINT)
    THEN next_at + CAST(:repeatMs AS BIGINT) ELSE CAST(:steadyMs AS BIGINT) + CAST(:repeatMs AS BIGINT) END,
    repeat_ms = CAST(:repeatMs AS BIGINT)
  WHERE channel_id = :channelId`;

const FORGET = `
  DELETE FROM insisting WHERE channel_id = :channelId AND next_at = :nextAtMs
    AND NOT EXISTS (SELECT 1 FROM alert WHERE channel_id = :channelId AND ${IS_OPEN})`;

const IN_CHANNEL = 'alert.channel_id = CAST(:channelId AS BIGINT)';
const IS_SHOWN = `${IN_CHANNEL} AND ${IS_OPEN} AND (alert.channel_id = CAST(:target AS BIGINT) OR EXISTS (
  SELECT 1 FROM escalation WHERE escalation.event_id = alert.event_id AND escalation.channel_id = CAST(:target AS BIGINT)
))`;
const LATEST = `${NOTIFIED} WHERE ${IS_SHOWN} ORDER BY alert.event_id DESC LIMIT ${NAMED}`;

const HIGHEST_LEVEL = `max(CASE newest.level ${LEVELS.map((level, place) => `WHEN '${level}' THEN ${place}`).join(' ')} END)`;
const COUNT = `
  SELECT count(*) AS count, (
    SELECT ${HIGHEST_LEVEL}
    FROM (SELECT newest_event_id FROM alert WHERE ${IS_SHOWN} ORDER BY alert.event_id DESC LIMIT ${MOST_LOOKED_AT}) AS latest
    JOIN event AS newest ON newest.id = latest.newest_event_id
  ) AS "levelPlace"
  FROM alert WHERE ${IS_SHOWN}`;

/**
 * Where alerts of a channel may be shown: there, in the channels that its policy leads to, which may show a bundle of
 * alerts that have all ended, and in those that an alert which lives has reached by an earlier policy.
 */
const SHOWN_IN = `
  WITH RECURSIVE chain (id, place) AS (
    SELECT CAST(:channelId AS BIGINT), 0
    UNION ALL
    SELECT channel.escalate_to, place + 1 FROM chain JOIN channel ON channel.id = chain.id
    WHERE channel.escalate_to IS NOT NULL AND place < ${MOST_REACHED}
  )
  SELECT channel.id FROM (
    SELECT id FROM chain UNION SELECT escalation.channel_id
    FROM alert JOIN escalation ON escalation.event_id = alert.event_id WHERE ${IN_CHANNEL} AND ${IS_LIVE}
  ) AS reached JOIN channel ON channel.id = reached.id
  WHERE channel.status = 'active' ORDER BY channel.id`;

interface Due {
  readonly id: number;
  readonly workspaceId: number;
  readonly channelId: number;
  /** `resolved`: by its sender or its channel, of which not all notified channels know yet. */
  readonly state: 'open' | 'acknowledged' | 'resolved';
  readonly endedKind: string | null;
  readonly stopsAtMs: number;
  readonly snoozedUntilMs: number | null;
  readonly insists: 0 | 1;
  readonly untilS: number | null;
  /** The policy of the channel that it has reached last. */
  readonly escalateAfterS: number | null;
  readonly escalateTo: number | null;
}
interface DueChannel {
  readonly workspaceId: number;
  readonly channelId: number;
  readonly nextAtMs: number;
  readonly repeatS: number | null;
  readonly insists: 0 | 1;
}
interface Counted {
  readonly count: number;
  /** Null: there are none. */
  readonly levelPlace: number | null;
}

/**
 * What comes with time. A call is one transaction: the reminder, its places in the queue, and the time of the next one
 * stand or fall together. Time that no server was there for is not made up.
 */
export function alertRounds(sql: Sql, deps: Pick<EngineDeps, 'postOwn'>) {
  const next = sql.value<{ steadyMs: number }, number | null>(NEXT);
  const insists = sql.value<object, 1>('SELECT 1 FROM channel WHERE insist_repeat IS NOT NULL LIMIT 1');
  const countAnew = sql.run<{ steadyMs: number }>(COUNT_ANEW);
  const due = sql.all<{ steadyMs: number }, Due>(DUE);
  const reopen = sql.run<object>(REOPEN);
  const remindNow = sql.run<{ channelId: number; steadyMs: number }>(REMIND_NOW);
  const insistAgain = sql.run<{ steadyMs: number }>(INSIST_AGAIN);
  const dueChannels = sql.all<{ steadyMs: number }, DueChannel>(DUE_CHANNELS);
  const countReminder = sql.run<{ channelId: number; wallMs: number }>(COUNT_REMINDER);
  const moveOn = sql.run<{ channelId: number; steadyMs: number; repeatMs: number }>(MOVE_ON);
  const forget = sql.run<{ channelId: number; nextAtMs: number }>(FORGET);
  const latest = sql.all<Target, NotifiedAlert>(LATEST);
  const count = sql.get<Target, Counted>(COUNT);
  const shownIn = sql.values<{ channelId: number }, number>(SHOWN_IN);
  const notified = sql.get<{ id: number }, NotifiedAlert>(`${NOTIFIED} WHERE alert.event_id = CAST(:id AS BIGINT)`);
  const isAmongNewest = sql.value<{ id: number }, 1>(IS_AMONG_NEWEST);
  const done = sql.run<{ id: number }>('UPDATE alert SET due_at = NULL WHERE event_id = :id');
  const repeatOf = sql.value<{ id: number }, number | null>('SELECT insist_repeat FROM channel WHERE id = :id');
  const ends: AlertEnds = alertEnds(sql);
  const notify = notifying(sql, deps);
  const escalate = escalating(sql);
  const record = alertAudit(sql);

  async function remindAt(at: Target, lifeS: number, now: Moment): Promise<void> {
    await notify.remind(at, openAlerts(await count(at), await latest(at)), lifeS, now);
  }

  /** Returns whether there was anything to remind of. */
  async function remind({ channelId, nextAtMs, repeatS }: DueChannel, now: Moment): Promise<boolean> {
    const { wallMs, steadyMs } = now;
    const lifeS = repeatS ?? 0;
    const areOpen = lifeS > 0 && (await countReminder({ channelId, wallMs })) > 0;
    if (areOpen) await moveOn({ channelId, steadyMs, repeatMs: 1000 * lifeS });
    else await forget({ channelId, nextAtMs });
    for (const target of await shownIn({ channelId })) await remindAt({ channelId, target }, lifeS, now);
    return areOpen;
  }

  async function openAgain({ id, channelId, untilS, escalateAfterS, escalateTo }: Due, { steadyMs }: Moment) {
    const stopsAtMs = steadyMs + 1000 * (untilS ?? 0);
    const escalateAtMs = escalateTo === null || escalateAfterS === null ? null : steadyMs + 1000 * escalateAfterS;
    await reopen({ id, steadyMs, stopsAtMs, escalateAtMs, dueAtMs: Math.min(stopsAtMs, escalateAtMs ?? stopsAtMs) });
    await remindNow({ channelId, steadyMs });
  }

  /** Notifies of an alert that its sender or its channel has ended. */
  async function notifyOfEnd({ id, endedKind }: Due, now: Moment): Promise<void> {
    await done({ id });
    const alert = await notified({ id });
    if (alert === undefined) return;
    // In its own channel the sender's event has said so.
    if (endedKind === 'sender') return notify.noticeElsewhere(alert, now);
    if ((await isAmongNewest({ id })) === undefined) return;
    await notify.notice(alert, CHANNEL_ENDED, 1, now);
    await notify.endBundles(alert, now);
  }

  async function expire(id: number, now: Moment): Promise<void> {
    if (!(await ends.end(id, 'expired', { kind: 'time', name: null }, now))) return;
    const alert = await notified({ id });
    if (alert === undefined) return;
    await notify.notice(alert, 'It has expired: no one has acknowledged it.', 1, now);
    await record('alert.expire', alert, now);
  }

  return {
    async nextRound(_, { steadyMs }) {
      const at = (await next({ steadyMs })) ?? null;
      const inMs = at === null ? null : Math.max(0, at - steadyMs);
      return { inMs, insists: (await insists({})) !== undefined };
    },

    async runRound(_, now) {
      const { steadyMs } = now;
      const ended: Partial<Record<AlertEnd, number>> = {};
      const workspaces = new Set<number>();
      const countEnd = (end: AlertEnd) => {
        ended[end] = (ended[end] ?? 0) + 1;
      };
      /** By channel: those that its alerts have just reached. */
      const reached = new Map<number, Set<number>>();
      await countAnew({ steadyMs });
      for (const alert of await due({ steadyMs })) {
        const { id, channelId, state, stopsAtMs, snoozedUntilMs } = alert;
        workspaces.add(alert.workspaceId);
        if (state === 'resolved') {
          await notifyOfEnd(alert, now);
          countEnd(alert.endedKind === 'channel' ? 'channel' : 'sender');
        } else if (alert.insists === 0) {
          await ends.end(id, 'resolved', { kind: 'channel', name: null }, now);
        } else if (state === 'acknowledged') {
          if (snoozedUntilMs !== null) await openAgain(alert, now);
          else await ends.end(id, 'resolved', { kind: 'time', name: null }, now);
        } else if (stopsAtMs <= steadyMs) {
          await expire(id, now);
        } else {
          const target = await escalate(id, now);
          if (target !== null) reached.set(channelId, (reached.get(channelId) ?? new Set()).add(target));
        }
      }
      await insistAgain({ steadyMs });
      let reminders = 0;
      for (const channel of await dueChannels({ steadyMs })) {
        const { channelId } = channel;
        workspaces.add(channel.workspaceId);
        if (channel.insists === 0) await ends.endAllOf(channelId, now);
        else if (await remind(channel, now)) reminders += 1;
        reached.delete(channelId);
      }
      for (const [channelId, targets] of reached) {
        const lifeS = (await repeatOf({ id: channelId })) ?? 0;
        for (const target of targets) await remindAt({ channelId, target }, lifeS, now);
      }
      for (const { workspaceId, end } of await ends.takeEnded(now)) {
        workspaces.add(workspaceId);
        countEnd(end);
      }
      return { reminders, ended, workspaces: [...workspaces] };
    },
  } satisfies SomeHandlers;
}

function openAlerts(counted: Counted | undefined, newest: readonly NotifiedAlert[]): OpenAlerts {
  return { count: counted?.count ?? 0, newest, level: LEVELS[counted?.levelPlace ?? 0] ?? 'info' };
}
