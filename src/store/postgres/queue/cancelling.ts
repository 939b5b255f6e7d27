import { parse } from 'uuid';
import type { Moment } from '../../../clock.ts';
import { uuidOf } from '../../../contract/public-id.ts';
import { type CancelProgress, isRefusal, type Refusal } from '../../calls.ts';
import { noEvent } from '../../refusals.ts';
import type { EventCountsRow, EventTextRow } from '../../verbs/events/event-rows.ts';
import { EVENT_TEXTS, withCounts } from '../../verbs/events/events.ts';
import { IS_THERE } from '../../verbs/events/is-there.ts';
import type { CallHandlers } from '../../verbs/verb.ts';
import type { Connection } from '../connections.ts';
import { NO_NODE } from '../nodes/membership.ts';
import { ENDINGS_PER_CALL, endCarefully } from './sweeping.ts';

type Counted = EventTextRow & EventCountsRow;

const CANCEL = `
  UPDATE event SET cancelled_at = :wallMs, expires_at = 0
  WHERE id = :id AND cancelled_at IS NULL AND targeted > accepted + failed + unregistered + expired + withdrawn`;

/**
 * Takes an event back. One mark decides: from then on nothing of it is claimed, claimed pushes are recalled, and waiting
 * ones end as withdrawn, including those set aside: some of them in this call, the rest in the next steps, in the next
 * sweep, or where they would have been claimed.
 */
export function cancelling(connection: Connection): Pick<CallHandlers, 'cancelEvent' | 'continueCancel'> {
  const { sql } = connection;
  const one = sql.get<{ uuid: Uint8Array }, Counted>(`${EVENT_TEXTS} WHERE event.uuid = :uuid AND ${IS_THERE}`);
  const cancel = sql.run<{ id: number; wallMs: number }>(CANCEL);
  const isCancelled = sql.value<{ id: number }, boolean>('SELECT cancelled_at IS NOT NULL FROM event WHERE id = :id');
  const endResend = sql.run<{ id: number }>(
    `UPDATE resend SET stage = 'done' WHERE event_id = :id AND stage <> 'done'`,
  );

  async function find(publicId: string): Promise<Counted | Refusal> {
    const uuid = uuidOf(publicId);
    return (uuid === null ? undefined : await one({ uuid: parse(uuid) })) ?? noEvent(publicId);
  }

  async function step(before: Counted, now: Moment): Promise<CancelProgress> {
    const isOver = (await isCancelled({ id: before.id })) === true;
    const deps = { node: NO_NODE, now: () => now };
    const { isLeft } = isOver ? await endCarefully(connection, deps, before.id, ENDINGS_PER_CALL) : { isLeft: false };
    const after = (await one({ uuid: before.uuid })) ?? before;
    return { event: withCounts(after), withdrawn: after.withdrawn - before.withdrawn, done: !isLeft };
  }

  return {
    async cancelEvent({ publicId }, now) {
      const row = await find(publicId);
      if (isRefusal(row)) return row;
      const waiting = withCounts(row).deliveries.pending;
      const isNew = (await cancel({ id: row.id, wallMs: now.wallMs })) > 0;
      await endResend({ id: row.id });
      return { ...(await step(row, now)), waiting, isNew };
    },

    async continueCancel({ publicId }, now) {
      const row = await find(publicId);
      return isRefusal(row) ? row : step(row, now);
    },
  };
}
