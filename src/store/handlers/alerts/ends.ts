import type { Moment } from '../../../process/clock.ts';
import type { AlertState } from '../../../push.ts';
import type { AlertEnd } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import { KEEP_REMINDERS } from './alert-rows.ts';
import { alertMarks, NO_ACT } from './marks.ts';

/**
 * An alert that has ended, as everyone who was notified of it knows. If its sender ended it, only its own channel
 * knows. If that channel no longer insists, or was deactivated, nobody knows.
 */
export const IS_OVER = `alert.state IN ('resolved', 'expired') AND NOT (
  alert.ended_kind = 'channel' OR alert.ended_kind = 'sender' AND EXISTS (
    SELECT 1 FROM escalation WHERE escalation.event_id = alert.event_id
  )
)`;

const TAKE_ENDED = `
  UPDATE alert SET due_at = NULL WHERE event_id IN (
    SELECT event_id FROM alert WHERE due_at <= CAST(:steadyMs AS BIGINT) AND due_at IS NOT NULL AND ${IS_OVER} ORDER BY due_at LIMIT CAST(:limit AS BIGINT)
  )
  RETURNING workspace_id AS "workspaceId", state, ended_kind AS "endedKind"`;

/** Expires alerts that would remind again. Alerts acknowledged for good stay so. */
const expireAmong = (among: string) => `
  UPDATE alert SET state = 'expired', due_at = NULL, escalate_at = NULL, snoozed_until = NULL, ended_kind = 'restored',
    ended_at = :wallMs, assigned_until = NULL, ${NO_ACT}, ${KEEP_REMINDERS}
  WHERE event_id IN (SELECT event_id FROM alert WHERE ${among} LIMIT CAST(:limit AS BIGINT))`;
export const EXPIRE_OPEN = expireAmong("alert.state = 'open'");
export const EXPIRE_SNOOZED = expireAmong('alert.snoozed_until IS NOT NULL');

export interface AlertEnds {
  /** Returns whether the alert lived. Waiting pushes are not sent. */
  end(
    alert: { readonly id: number; readonly channelId: number },
    state: 'resolved' | 'expired',
    by: { readonly kind: string; readonly name: string | null; readonly actor: string | null },
    now: Moment,
  ): Promise<boolean>;
  /** Ends a channel's live alerts. Returns how many rows followed at once. */
  endAllOf(channelId: number, now: Moment): Promise<number>;
  /** Returns, once each, up to `limit` ended alerts whose end all notified know. */
  takeEnded(now: Moment, limit: number): Promise<readonly { readonly workspaceId: number; readonly end: AlertEnd }[]>;
}

interface Ended {
  readonly workspaceId: number;
  readonly state: AlertState;
  readonly endedKind: string;
}

export function alertEnds(sql: Sql): AlertEnds {
  const forget = sql.run<{ channelId: number }>('DELETE FROM insisting WHERE channel_id = :channelId');
  const takeEnded = sql.all<{ steadyMs: number; limit: number }, Ended>(TAKE_ENDED);
  const newestEvent = sql.value<object, number | null>('SELECT max(id) FROM event');
  const { decide } = alertMarks(sql);

  return {
    async end({ id, channelId }, state, by, now) {
      return (await decide({ channelId, fromAlert: id, toAlert: id, state, ...by }, now)).concerned.length > 0;
    },

    async endAllOf(channelId, now) {
      await forget({ channelId });
      const toAlert = (await newestEvent({})) ?? 0;
      const { rows } = await decide(
        { channelId, fromAlert: 0, toAlert, state: 'resolved', kind: 'channel', name: null, actor: null },
        now,
      );
      return rows;
    },

    takeEnded: async ({ steadyMs }, limit) =>
      (await takeEnded({ steadyMs, limit })).map((row) => ({ workspaceId: row.workspaceId, end: endOf(row) })),
  };
}

function endOf({ state, endedKind }: Ended): AlertEnd {
  if (state === 'expired') return 'expired';
  return endedKind === 'time' ? 'idle' : (endedKind as AlertEnd);
}
