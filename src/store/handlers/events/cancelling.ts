import { uuidBytesOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import { type Actor, type AlertAsker, type CancelProgress, isRefusal, type Refusal } from '../../calls.ts';
import { noEvent, roleTooLow } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { type AskerParams, askerParams, isAskers } from '../alerts/finding.ts';
import type { SomeHandlers } from '../handler.ts';
import { keyEndings } from '../keys/endings.ts';
import { sessionOf, vouchers } from '../people/vouchers.ts';
import type { EventCountsRow, EventTextRow } from './event-rows.ts';
import { EVENT_TEXTS, withCounts } from './events.ts';
import { IS_THERE, UNFINISHED } from './states.ts';

type CancellableEvent = EventTextRow & EventCountsRow;

const EVENT = `${EVENT_TEXTS} WHERE event.uuid = :uuid AND ${IS_THERE}`;
const CANCEL = `UPDATE event SET cancelled_at = :wallMs, expires_at = 0 WHERE id = :id AND cancelled_at IS NULL AND ${UNFINISHED}`;
const UNSCHEDULE = "UPDATE event SET kind = 'cancelled', cancelled_at = :wallMs WHERE id = :id AND kind = 'scheduled'";
const END_RESEND = `UPDATE resend SET stage = 'done' WHERE event_id = :id AND stage <> 'done'`;

/**
 * Cancels an event. One mark decides: no push is claimed any more, claimed ones are revoked, waiting ones and dead
 * letters end as withdrawn. Some end in this call, the rest in next steps, the sweep, or at their claim. A scheduled
 * event only ends itself. `endSome`: ends some pushes, and returns whether that was all.
 */
export function cancelling(sql: Sql, endSome: (id: number, now: Moment) => Promise<boolean>) {
  const readEvent = sql.get<{ uuid: Uint8Array }, CancellableEvent>(EVENT);
  const readEventOfAsker = sql.get<AskerParams & { uuid: Uint8Array | null }, CancellableEvent>(
    `${EVENT} AND ${isAskers('event')}`,
  );
  const workspaceOf = sql.value<{ id: number }, number>('SELECT workspace_id FROM event WHERE id = :id');
  const posterOf = sql.value<{ id: number }, string | null>('SELECT posted_by FROM event WHERE id = :id');
  const cancel = sql.run<{ id: number; wallMs: number }>(CANCEL);
  const unschedule = sql.run<{ id: number; wallMs: number }>(UNSCHEDULE);
  const endResend = sql.run<{ id: number }>(END_RESEND);
  const { roleOf } = vouchers(sql);
  const keyMay = keyEndings(sql);

  /** Finds the event for a key that may end it, a manager, or an operator. */
  async function find(
    { publicId, ...asker }: AlertAsker & { readonly publicId: string },
    actor?: Actor,
  ): Promise<CancellableEvent | Refusal> {
    const row = await readEventOfAsker({ ...askerParams(asker, actor), uuid: uuidBytesOf(publicId) });
    if (row === undefined) return noEvent(publicId);
    if (asker.userId === undefined) return (await keyMay.end(actor, (await posterOf(row)) ?? null)) ?? row;
    const role = await roleOf(sessionOf(actor), (await workspaceOf(row)) ?? 0);
    return role === 'owner' || role === 'admin' ? row : roleTooLow();
  }

  async function step(before: CancellableEvent, now: Moment): Promise<CancelProgress> {
    const done = await endSome(before.id, now);
    const after = (await readEvent({ uuid: before.uuid })) ?? before;
    return { event: withCounts(after), withdrawn: after.withdrawn - before.withdrawn, done };
  }

  return {
    async cancelEvent(asked, now, actor) {
      const row = await find(asked, actor);
      if (isRefusal(row)) return row;
      const { id } = row;
      const { wallMs } = now;
      const wasScheduled = (await unschedule({ id, wallMs })) > 0;
      const waiting = withCounts(row).deliveries.pending;
      const isNew = (await cancel({ id, wallMs })) > 0 || wasScheduled;
      await endResend({ id });
      return { ...(await step(row, now)), waiting, isNew, wasScheduled };
    },

    async continueCancel({ publicId }, now) {
      const row = await find({ publicId });
      return isRefusal(row) ? row : step(row, now);
    },
  } satisfies SomeHandlers;
}
