import type { Moment } from '../../../clock.ts';
import { type CancelProgress, isRefusal } from '../../calls.ts';
import { type CancellableEvent, cancellable } from '../../verbs/events/cancellable.ts';
import { withCounts } from '../../verbs/events/events.ts';
import type { Verbs } from '../../verbs/verb.ts';
import type { Connection } from '../connections.ts';
import { NO_NODE } from '../nodes/membership.ts';
import { ENDINGS_PER_CALL, endCarefully } from './sweeping.ts';

const CANCEL = `
  UPDATE event SET cancelled_at = :wallMs, expires_at = 0
  WHERE id = :id AND cancelled_at IS NULL AND targeted > accepted + failed + unregistered + expired + withdrawn`;

/**
 * Takes an event back. One mark decides: from then on nothing of it is claimed, claimed pushes are recalled, and waiting
 * ones end as withdrawn, including those set aside: some of them in this call, the rest in the next steps, in the next
 * sweep, or where they would have been claimed. Of one that is to be sent later nothing waits but itself.
 */
export function cancelling(connection: Connection): Verbs<'cancelEvent' | 'continueCancel'> {
  const { sql } = connection;
  const events = cancellable(sql);
  const cancel = sql.run<{ id: number; wallMs: number }>(CANCEL);
  const isCancelled = sql.value<{ id: number }, boolean>('SELECT cancelled_at IS NOT NULL FROM event WHERE id = :id');
  const endResend = sql.run<{ id: number }>(
    `UPDATE resend SET stage = 'done' WHERE event_id = :id AND stage <> 'done'`,
  );

  async function step(before: CancellableEvent, now: Moment): Promise<CancelProgress> {
    const isOver = (await isCancelled({ id: before.id })) === true;
    const deps = { node: NO_NODE, now: () => now };
    const { isLeft } = isOver ? await endCarefully(connection, deps, before.id, ENDINGS_PER_CALL) : { isLeft: false };
    const after = (await events.read(before.uuid)) ?? before;
    return { event: withCounts(after), withdrawn: after.withdrawn - before.withdrawn, done: !isLeft };
  }

  return {
    async cancelEvent(asked, now, actor) {
      const row = await events.find(asked, actor);
      if (isRefusal(row)) return row;
      const wasScheduled = await events.unschedule(row.id, now.wallMs);
      const waiting = withCounts(row).deliveries.pending;
      const isNew = (await cancel({ id: row.id, wallMs: now.wallMs })) > 0 || wasScheduled;
      await endResend({ id: row.id });
      return { ...(await step(row, now)), waiting, isNew, wasScheduled };
    },

    async continueCancel({ publicId }, now) {
      const row = await events.find({ publicId });
      return isRefusal(row) ? row : step(row, now);
    },
  };
}
