import type { Moment } from '../../../process/clock.ts';
import { idList, type Sql } from '../../sql.ts';
import { RESTART_THERE } from '../on-call/restarting.ts';
import type { Who } from './acting.ts';
import { KEEP_REMINDERS, LAST_REACHED } from './alert-rows.ts';
import { NO_ACT } from './marks.ts';

const POLICY = `
  SELECT own.insist_until AS "untilS", own.widen_after AS "widenAfterS", last.escalate_after AS "escalateAfterS",
    last.escalate_to AS "escalateTo"
  FROM alert LEFT JOIN channel AS own ON own.id = alert.channel_id LEFT JOIN channel AS last ON last.id = ${LAST_REACHED}
  WHERE alert.event_id = CAST(:id AS BIGINT)`;

/** :reopenedBy is NULL if only a snooze ended. */
export const REOPENED = `reopened_by = coalesce(CAST(:reopenedBy AS TEXT), reopened_by),
    reopener = CASE WHEN CAST(:reopenedBy AS TEXT) IS NULL THEN reopener ELSE CAST(:reopener AS TEXT) END,
    reopened_at = CASE WHEN CAST(:reopenedBy AS TEXT) IS NULL THEN reopened_at ELSE :wallMs END`;

const OPENED = `state = 'open', holder = NULL, acknowledged_by = NULL, acknowledged_at = NULL, snoozed_until = NULL,
    ended_kind = NULL, ended_by = NULL, ender = NULL, ended_at = NULL, set_at = :steadyMs, ${NO_ACT}`;

/** Reopens an alert. Reminders restart, behind earlier ones. */
const REOPEN = `
  UPDATE alert SET ${OPENED}, stops_at = :stopsAtMs, escalate_at = :escalateAtMs, due_at = :dueAtMs, widen_at = CAST(:widenAtMs AS BIGINT),
    assigned_until = CAST(:assignedUntilMs AS BIGINT), ${REOPENED}, ${KEEP_REMINDERS},
    reminders_from = coalesce((SELECT channel.reminders FROM channel WHERE channel.id = alert.channel_id), 0)
  WHERE event_id = :id`;

/** Others' reminders in the channel meanwhile were not the alert's. */
const OPEN_FOR_ALL = `
  UPDATE alert SET assigned_until = NULL, due_at = CASE WHEN escalate_at < stops_at THEN escalate_at ELSE stops_at END, set_at = :steadyMs,
    reminders_from = coalesce((SELECT channel.reminders FROM channel WHERE channel.id = alert.channel_id), 0)
  WHERE event_id = :id AND state = 'open'`;

/** Sets a channel's next reminder to now. The person who caused it gets none, unless it is due for another reason. */
const REMIND_NOW = `
  INSERT INTO insisting (channel_id, next_at, repeat_ms, not_for)
  SELECT id, CAST(:steadyMs AS BIGINT), 1000 * insist_repeat, CAST(:notFor AS BIGINT) FROM channel
  WHERE id = :channelId AND insist_repeat IS NOT NULL
  ON CONFLICT (channel_id) DO UPDATE SET next_at = excluded.next_at, not_for = CASE
    WHEN insisting.next_at > excluded.next_at OR insisting.not_for = excluded.not_for THEN excluded.not_for
  END`;

interface Policy {
  readonly untilS: number | null;
  readonly widenAfterS: number | null;
  /** Policy of the last channel reached. */
  readonly escalateAfterS: number | null;
  readonly escalateTo: number | null;
}

interface Reopened {
  readonly id: number;
}

type Reopener = Pick<Who, 'name' | 'actor'>;

export function reopenedBy(by: Reopener | null) {
  return { reopenedBy: by?.name ?? null, reopener: by?.actor ?? null };
}

export function reopening(sql: Sql) {
  const policyOf = sql.get<{ id: number }, Policy>(POLICY);
  const reopen = sql.run<object>(REOPEN);
  const restartThere = sql.run<object>(RESTART_THERE);
  const openForAll = sql.run<{ id: number; steadyMs: number }>(OPEN_FOR_ALL);
  const remindNow = sql.run<{ channelId: number; steadyMs: number; notFor: number | null }>(REMIND_NOW);

  /** `by`: null if a snooze ended, or the alert is reassigned. */
  async function open({ id }: Reopened, now: Moment, aloneForS: number, by: Reopener | null): Promise<void> {
    const {
      untilS = null,
      widenAfterS = null,
      escalateAfterS = null,
      escalateTo = null,
    } = (await policyOf({ id })) ?? {};
    const fromMs = now.steadyMs + 1000 * aloneForS;
    const stopsAtMs = fromMs + 1000 * (untilS ?? 0);
    const escalateAtMs = escalateTo === null || escalateAfterS === null ? null : fromMs + 1000 * escalateAfterS;
    const assignedUntilMs = aloneForS > 0 ? fromMs : null;
    // Everyone is asked after the one person has not answered.
    const ringsAloneFromMs = aloneForS > 0 ? null : fromMs;
    const widenAtMs = widenAfterS === null || ringsAloneFromMs === null ? null : ringsAloneFromMs + 1000 * widenAfterS;
    const dueAtMs = assignedUntilMs ?? Math.min(stopsAtMs, escalateAtMs ?? stopsAtMs);
    await reopen({ id, ...now, stopsAtMs, escalateAtMs, widenAtMs, dueAtMs, assignedUntilMs, ...reopenedBy(by) });
    await restartThere({ ...idList([id]), fromMs: ringsAloneFromMs });
  }

  return {
    open: (alert: Reopened, now: Moment, by: Reopener | null) => open(alert, now, 0, by),
    /** Opens an alert for one person for `aloneForS` seconds. Its timers start afterwards. */
    openForOne: (alert: Reopened, now: Moment, aloneForS: number) => open(alert, now, aloneForS, null),
    /** Ends the time in which one person alone had the alert. */
    openForAll: async ({ id }: Reopened, { steadyMs }: Moment) => {
      await openForAll({ id, steadyMs });
    },
    remindNow: async (channelId: number, { steadyMs }: Moment, notFor: number | null) => {
      await remindNow({ channelId, steadyMs, notFor });
    },
  };
}
