/** Reopens alerts acknowledged or resolved by anyone, or undoes the caller's last act. */
import { publicIdOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import type { AlertState } from '../../../push.ts';
import { MOST_COUNTED, UNDO_MS } from '../../calls/alerts.ts';
import { isRefusal, type Refusal } from '../../calls.ts';
import { alertLives, nothingToUndo, notReopened } from '../../refusals.ts';
import { idList, indexRange, type Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { keyEndings } from '../keys/endings.ts';
import { shiftThere } from '../on-call/restarting.ts';
import { acting, type Who } from './acting.ts';
import { type AlertRow, DECIDES } from './alert-rows.ts';
import { MOST_NOTICES } from './changes.ts';
import { alertMarks, NO_ACT } from './marks.ts';
import { NOTIFIED, type NotifiedAlert, notifying } from './notifying.ts';
import { REOPENED, reopenedBy, reopening } from './reopening.ts';

/** A resolved alert can be reopened within this time. */
const REOPENED_WITHIN_MS = 3_600_000;

const LAST_ACT = `
  SELECT alert.state, act, acted_by AS "actedBy", acted_at AS "actedAtMs", before_state AS "beforeState", alert.collapse_key AS "collapseKey",
    CASE WHEN channel.status = 'active' AND channel.insist_repeat IS NOT NULL THEN 1 ELSE 0 END AS insists
  FROM alert JOIN channel ON channel.id = alert.channel_id WHERE alert.event_id = CAST(:id AS BIGINT)`;

/** Deadlines are later by the act's duration. */
const RESTORE_OPEN = `
  UPDATE alert SET state = 'open', holder = NULL, acknowledged_by = NULL, acknowledged_at = NULL, snoozed_until = NULL, ended_kind = NULL,
    ended_by = NULL, ender = NULL, ended_at = NULL, stops_at = stops_at + :steadyMs - acted_at, escalate_at = before_at + :steadyMs - acted_at,
    due_at = CASE WHEN before_at < stops_at THEN before_at ELSE stops_at END + :steadyMs - acted_at, set_at = :steadyMs,
    widen_at = widen_at + :steadyMs - acted_at,
    reminders_from = coalesce((SELECT channel.reminders FROM channel WHERE channel.id = alert.channel_id), 0), ${REOPENED}, ${NO_ACT}
  WHERE event_id = :id`;

/** A snooze keeps its end. If passed, the next round opens the alert. */
const RESTORE_ACKNOWLEDGED = `
  UPDATE alert SET state = 'acknowledged', ended_kind = NULL, ended_by = NULL, ender = NULL, ended_at = NULL,
    snoozed_until = CASE before_state WHEN 'snoozed' THEN before_at END, snoozed_by = before_snoozed_by, snoozer = before_snoozer,
    due_at = before_at, set_at = :steadyMs, ${REOPENED}, ${NO_ACT}
  WHERE event_id = :id`;

const SAME_KEY = `
  SELECT event_id FROM alert WHERE channel_id = CAST(:channelId AS BIGINT) AND collapse_key = CAST(:collapseKey AS TEXT)
    AND collapse_key IS NOT NULL AND state IN ('open', 'acknowledged') AND event_id <> CAST(:id AS BIGINT)`;

/** Alerts last changed by act :act: rows that followed, and the newest others. */
const CHANGED_BY_ACT = `
  SELECT (
    SELECT count(*) FROM (SELECT 1 FROM alert WHERE act = CAST(:act AS BIGINT) AND act > 0 LIMIT ${MOST_COUNTED}) AS followed
  ) + (
    SELECT count(*) FROM alert WHERE event_id IN (
      SELECT event_id FROM alert WHERE alert.state = 'open' AND ${indexRange('alert', ['channel_id', 'event_id'], ':channelId')}
      ORDER BY channel_id DESC, event_id DESC LIMIT ${MOST_COUNTED}
    ) AND EXISTS (SELECT 1 FROM alert_mark AS mark WHERE mark.number = CAST(:act AS BIGINT) AND ${DECIDES})
  )`;

/** The newest alerts of an act, which got a notice. */
const NOTICED = `
  SELECT event_id FROM (
    SELECT event_id FROM alert WHERE act = CAST(:act AS BIGINT) AND act > 0 ORDER BY act DESC, event_id DESC LIMIT ${MOST_NOTICES}
  ) AS followed
  UNION
  SELECT event_id FROM (
    SELECT event_id FROM alert WHERE alert.state = 'open' AND ${indexRange('alert', ['channel_id', 'event_id'], ':channelId')}
    ORDER BY channel_id DESC, event_id DESC LIMIT ${MOST_NOTICES}
  ) AS newest`;

interface LastAct {
  readonly state: AlertState;
  readonly act: number;
  readonly actedBy: string | null;
  readonly actedAtMs: number | null;
  readonly beforeState: 'open' | 'acknowledged' | 'snoozed' | null;
  readonly collapseKey: string | null;
  readonly insists: 0 | 1;
}

export function alertUndoing(sql: Sql, deps: Pick<EngineDeps, 'postOwn'>) {
  const lastAct = sql.get<{ id: number }, LastAct>(LAST_ACT);
  const restoreOpen = sql.run<object>(RESTORE_OPEN);
  const shiftEscalations = sql.run<object>(shiftThere('acted_at', ':steadyMs'));
  const restoreAcknowledged = sql.run<object>(RESTORE_ACKNOWLEDGED);
  const sameKey = sql.value<{ id: number; channelId: number; collapseKey: string | null }, number>(SAME_KEY);
  const changedByAct = sql.value<{ channelId: number; act: number }, number>(CHANGED_BY_ACT);
  const noticed = sql.values<{ channelId: number; act: number }, number>(NOTICED);
  const notified = sql.get<{ id: number }, NotifiedAlert>(`${NOTIFIED} WHERE alert.event_id = CAST(:id AS BIGINT)`);
  const { findAlert, showAgain, recordOfKey, alertById } = acting(sql);
  const keyMay = keyEndings(sql);
  const marks = alertMarks(sql);
  const reopen = reopening(sql);
  const notify = notifying(sql, deps);

  /** Returns the live alert that events of this key join; undefined: none. */
  async function otherOfKey({ id, channelId }: AlertRow, collapseKey: string | null): Promise<AlertRow | undefined> {
    const asked = { id, channelId, collapseKey };
    const other = collapseKey === null ? undefined : await sameKey(asked);
    if (other === undefined) return undefined;
    await marks.followAt(other);
    return (await sameKey(asked)) === undefined ? undefined : alertById(other);
  }

  async function problemOf(row: AlertRow, { state, collapseKey, insists }: LastAct, { wallMs }: Moment) {
    if (state === 'expired') return notReopened('alert_expired');
    if (insists === 0) return notReopened('not_insisting');
    if (state !== 'resolved') return null;
    if (wallMs - (row.endedAtMs ?? 0) >= REOPENED_WITHIN_MS) return notReopened('alert_resolved');
    const other = await otherOfKey(row, collapseKey);
    return other === undefined ? null : alertLives(publicIdOf(other.uuid));
  }

  /** Restores the state before the act, of one or all alerts. Returns how many. */
  async function undo(row: AlertRow, last: LastAct, who: Who, isForAll: boolean, now: Moment): Promise<number> {
    const { id, channelId } = row;
    const { act, beforeState } = last;
    if (isForAll && act > 0) {
      const undone = (await changedByAct({ channelId, act })) ?? 0;
      await notify.takeBack(await noticed({ channelId, act }), now);
      await marks.undo({ channelId, act, name: who.name, actor: who.actor }, now);
      return Math.min(undone, MOST_COUNTED);
    }
    const isSnoozed = last.state === 'acknowledged' && beforeState !== 'open';
    if (beforeState === 'open') await shiftEscalations({ ...idList([id]), ...now });
    const restore = beforeState === 'open' ? restoreOpen : restoreAcknowledged;
    await restore({ id, ...reopenedBy(isSnoozed ? null : who), ...now });
    return 1;
  }

  /**
   * Corrects the notice of resolution if the alert is acknowledged again. If it is open again, only reminded people
   * learn of it.
   */
  async function noticeOf({ id }: AlertRow, { name }: Who, now: Moment): Promise<void> {
    const alert = await notified({ id });
    if (alert?.state !== 'acknowledged') return;
    const holder = (await alertById(id))?.acknowledgedBy ?? 'Somebody';
    await notify.notice(alert, `${name} has reopened it: ${holder} has it.`, 1, now);
  }

  return {
    async reopenAlert({ all: isForAll = false, ...asked }, now, actor) {
      const found = await findAlert(asked, actor);
      if (isRefusal(found)) return found;
      const refusal: Refusal | null = await keyMay.change(actor);
      if (refusal !== null) return refusal;
      const { who } = found;
      const { id, channelId } = found.row;
      await marks.followAt(id);
      const row = (await alertById(id)) ?? found.row;
      const last = await lastAct({ id });
      if (last === undefined) return notReopened('not_insisting');
      const heldMs = now.steadyMs - (last.actedAtMs ?? Number.NEGATIVE_INFINITY);
      const isOwnAct = last.actedBy === who.actor && last.state !== 'open';
      const isUndo = isOwnAct && heldMs >= 0 && heldMs < UNDO_MS;
      if (isForAll && !isUndo)
        return nothingToUndo(row.state, row.state === 'resolved' ? row.endedBy : row.acknowledgedBy);
      if (row.state === 'open') return { alert: await showAgain(row, now), reopened: 0 };
      const problem = await problemOf(row, last, now);
      if (problem !== null) return problem;
      await notify.takeBack([id], now);
      let reopened = 1;
      if (isUndo) reopened = await undo(row, last, who, isForAll, now);
      else {
        await reopen.open(row, now, who);
      }
      const isOpen = !isUndo || last.beforeState === 'open';
      if (isOpen) await reopen.remindNow(channelId, now, who.personId);
      else if (last.state === 'resolved') await noticeOf(row, who, now);
      await recordOfKey('alert.reopen', row, actor, now);
      return { alert: await showAgain(row, now), reopened };
    },
  } satisfies SomeHandlers;
}
