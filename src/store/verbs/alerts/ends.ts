import type { Moment } from '../../../clock.ts';
import type { Sql } from '../../sql.ts';

/** As cancelled, so what is out comes back as well. The rest ends where it would have been claimed, or in the next sweep. */
const WITHDRAW = `
  UPDATE event SET cancelled_at = :wallMs, expires_at = 0
  WHERE alert_id = :id AND cancelled_at IS NULL
    AND targeted > accepted + failed + unregistered + expired + withdrawn`;

const END = `
  UPDATE alert SET state = :state, due_at = NULL, escalate_at = NULL, snoozed_until = NULL, ended_kind = :kind,
    ended_by = :name, ended_at = :wallMs
  WHERE event_id = :id AND state IN ('open', 'acknowledged')`;

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
}

export function alertEnds(sql: Sql): AlertEnds {
  const end = sql.run<{ id: number; state: string; kind: string; name: string | null; wallMs: number }>(END);
  const withdraw = sql.run<{ id: number; wallMs: number }>(WITHDRAW);
  const living = sql.values<{ channelId: number }, number>(
    "SELECT event_id FROM alert WHERE channel_id = :channelId AND state IN ('open', 'acknowledged')",
  );
  const forget = sql.run<{ channelId: number }>('DELETE FROM insisting WHERE channel_id = :channelId');

  async function endOne(
    id: number,
    state: 'resolved' | 'expired',
    by: { readonly kind: string; readonly name: string | null },
    { wallMs }: Moment,
  ): Promise<boolean> {
    if ((await end({ id, state, ...by, wallMs })) === 0) return false;
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
  };
}
