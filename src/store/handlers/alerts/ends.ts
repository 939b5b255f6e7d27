import type { Moment } from '../../../process/clock.ts';
import type { AlertState } from '../../../push.ts';
import type { AlertEnd } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import { UNFINISHED } from '../events/states.ts';

/** As cancelled, so what is out comes back as well. The rest ends where it would have been claimed, or in the next sweep. */
const WITHDRAW = `
  UPDATE event SET cancelled_at = :wallMs, expires_at = 0
  WHERE alert_id = :id AND cancelled_at IS NULL
    AND ${UNFINISHED}`;

/** The next round counts it. */
const END = `
  UPDATE alert SET state = :state, due_at = CAST(:steadyMs AS BIGINT), escalate_at = NULL, snoozed_until = NULL, ended_kind = :kind,
    ended_by = :name, ended_at = :wallMs
  WHERE event_id = :id AND state IN ('open', 'acknowledged')`;

/**
 * An alert has ended, and all who were notified of it know. If its sender has ended it, its own channel alone does; if that
 * channel no longer insists, or was deactivated, nobody does.
 */
export const IS_OVER = `alert.state IN ('resolved', 'expired') AND NOT (
  alert.ended_kind = 'channel' OR alert.ended_kind = 'sender' AND EXISTS (
    SELECT 1 FROM escalation WHERE escalation.event_id = alert.event_id
  )
)`;

const TAKE_ENDED = `
  UPDATE alert SET due_at = NULL WHERE due_at <= CAST(:steadyMs AS BIGINT) AND ${IS_OVER}
  RETURNING workspace_id AS "workspaceId", state, ended_kind AS "endedKind"`;

/** Of those that would remind of themselves: one that is acknowledged for good stays so. */
export const EXPIRE_ALL = `
  UPDATE alert SET state = 'expired', due_at = NULL, escalate_at = NULL, snoozed_until = NULL, ended_kind = 'restored',
    ended_at = :wallMs
  WHERE state = 'open' OR state = 'acknowledged' AND snoozed_until IS NOT NULL`;

export interface AlertEnds {
  /** Returns whether it lived. What waits of it is not sent any more. */
  end(
    id: number,
    state: 'resolved' | 'expired',
    by: { readonly kind: string; readonly name: string | null },
    now: Moment,
  ): Promise<boolean>;
  /** All alerts of a channel that live. */
  endAllOf(channelId: number, now: Moment): Promise<void>;
  withdraw(id: number, now: Moment): Promise<void>;
  /** Returns, once each, the alerts that have ended and whose end everybody knows who was notified. */
  takeEnded(now: Moment): Promise<readonly { readonly workspaceId: number; readonly end: AlertEnd }[]>;
}

interface Ended {
  readonly workspaceId: number;
  readonly state: AlertState;
  readonly endedKind: string;
}

export function alertEnds(sql: Sql): AlertEnds {
  const end = sql.run<{
    id: number;
    state: string;
    kind: string;
    name: string | null;
    wallMs: number;
    steadyMs: number;
  }>(END);
  const withdraw = sql.run<{ id: number; wallMs: number }>(WITHDRAW);
  const living = sql.values<{ channelId: number }, number>(
    "SELECT event_id FROM alert WHERE channel_id = :channelId AND state IN ('open', 'acknowledged')",
  );
  const forget = sql.run<{ channelId: number }>('DELETE FROM insisting WHERE channel_id = :channelId');
  const takeEnded = sql.all<{ steadyMs: number }, Ended>(TAKE_ENDED);

  async function endOne(
    id: number,
    state: 'resolved' | 'expired',
    by: { readonly kind: string; readonly name: string | null },
    { wallMs, steadyMs }: Moment,
  ): Promise<boolean> {
    if ((await end({ id, state, ...by, wallMs, steadyMs })) === 0) return false;
    await withdraw({ id, wallMs });
    return true;
  }

  return {
    end: endOne,
    async endAllOf(channelId, now) {
      for (const id of await living({ channelId })) await endOne(id, 'resolved', { kind: 'channel', name: null }, now);
      await forget({ channelId });
    },
    withdraw: async (id, { wallMs }) => void (await withdraw({ id, wallMs })),
    takeEnded: async ({ steadyMs }) =>
      (await takeEnded({ steadyMs })).map((row) => ({ workspaceId: row.workspaceId, end: endOf(row) })),
  };
}

function endOf({ state, endedKind }: Ended): AlertEnd {
  if (state === 'expired') return 'expired';
  return endedKind === 'time' ? 'idle' : (endedKind as AlertEnd);
}
