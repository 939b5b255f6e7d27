import type { Moment } from '../../../clock.ts';
import { type CancelProgress, isRefusal } from '../../calls.ts';
import { type CancellableEvent, cancellable } from '../../verbs/events/cancellable.ts';
import { withCounts } from '../../verbs/events/events.ts';
import type { Verbs } from '../../verbs/verb.ts';
import { sqlOver } from '../sql.ts';
import type { Db } from '../transaction.ts';
import type { QueueDeps } from './deps.ts';
import { UNFINISHED } from './event-heads.ts';
import { ENDINGS_PER_CALL, endingCarefully, type OverEvent } from './sweep.ts';

const CANCEL = `UPDATE event SET cancelled_at = :wallMs, expires_at = 0 WHERE id = :id AND cancelled_at IS NULL AND ${UNFINISHED}`;

const END_RESEND = `UPDATE resend SET stage = 'done' WHERE event_id = ? AND stage <> 'done'`;

const OVER = `
  SELECT id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, urgency, 1 AS isCancelled FROM event
  WHERE id = ? AND cancelled_at IS NOT NULL`;

/**
 * Takes an event back. One mark decides: from then on nothing of it is claimed, claimed pushes are recalled, and
 * waiting ones end as withdrawn, including those set aside: some of them in this call, the rest in the next steps, in
 * the next sweep, or where they would have been claimed. Of one that is to be sent later nothing waits but itself.
 */
export function cancelling(db: Db, deps: QueueDeps): Verbs<'cancelEvent' | 'continueCancel'> {
  const events = cancellable(sqlOver(db));
  const cancel = db.prepare<{ id: number; wallMs: number }>(CANCEL);
  const endResend = db.prepare<[number]>(END_RESEND);
  const over = db.prepare<[number], OverEvent>(OVER);
  const endOne = endingCarefully(db, deps);

  async function step(before: CancellableEvent, now: Moment): Promise<CancelProgress> {
    const event = over.get(before.id);
    const { isDone } = event ? endOne(event, ENDINGS_PER_CALL, now) : { isDone: true };
    const after = (await events.read(before.uuid)) ?? before;
    return { event: withCounts(after), withdrawn: after.withdrawn - before.withdrawn, done: isDone };
  }

  return {
    async cancelEvent(asked, now, actor) {
      const row = await events.find(asked, actor);
      if (isRefusal(row)) return row;
      const wasScheduled = await events.unschedule(row.id, now.wallMs);
      const waiting = withCounts(row).deliveries.pending;
      const isNew = cancel.run({ id: row.id, wallMs: now.wallMs }).changes > 0 || wasScheduled;
      endResend.run(row.id);
      return { ...(await step(row, now)), waiting, isNew, wasScheduled };
    },

    async continueCancel({ publicId }, now) {
      const row = await events.find({ publicId });
      return isRefusal(row) ? row : step(row, now);
    },
  };
}
