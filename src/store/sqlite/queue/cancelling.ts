import { parse } from 'uuid';
import type { Moment } from '../../../clock.ts';
import { uuidOf } from '../../../contract/public-id.ts';
import { type CancelProgress, isRefusal, type Refusal } from '../../calls.ts';
import { noEvent } from '../../refusals.ts';
import type { EventCountsRow, EventTextRow } from '../../verbs/events/event-rows.ts';
import { EVENT_TEXTS, withCounts } from '../../verbs/events/events.ts';
import { IS_THERE } from '../../verbs/events/is-there.ts';
import type { Db, Handlers } from '../transaction.ts';
import type { QueueDeps } from './deps.ts';
import { UNFINISHED } from './event-heads.ts';
import { ENDINGS_PER_CALL, endingCarefully, type OverEvent } from './sweep.ts';

const ONE = `${EVENT_TEXTS} WHERE event.uuid = ? AND ${IS_THERE}`;

const CANCEL = `UPDATE event SET cancelled_at = :wallMs, expires_at = 0 WHERE id = :id AND cancelled_at IS NULL AND ${UNFINISHED}`;

const END_RESEND = `UPDATE resend SET stage = 'done' WHERE event_id = ? AND stage <> 'done'`;

const OVER = `
  SELECT id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, urgency, 1 AS isCancelled FROM event
  WHERE id = ? AND cancelled_at IS NOT NULL`;

/**
 * Takes an event back. One mark decides: from then on nothing of it is claimed, claimed pushes are recalled, and
 * waiting ones end as withdrawn, including those set aside: some of them in this call, the rest in the next steps, in
 * the next sweep, or where they would have been claimed.
 */
export function cancelling(db: Db, deps: QueueDeps): Handlers<'cancelEvent' | 'continueCancel'> {
  const one = db.prepare<[Uint8Array], EventTextRow & EventCountsRow>(ONE);
  const cancel = db.prepare<{ id: number; wallMs: number }>(CANCEL);
  const endResend = db.prepare<[number]>(END_RESEND);
  const over = db.prepare<[number], OverEvent>(OVER);
  const endOne = endingCarefully(db, deps);

  function find(publicId: string): (EventTextRow & EventCountsRow) | Refusal {
    const uuid = uuidOf(publicId);
    return (uuid === null ? undefined : one.get(parse(uuid))) ?? noEvent(publicId);
  }

  function step(before: EventTextRow & EventCountsRow, now: Moment): CancelProgress {
    const event = over.get(before.id);
    const { isDone } = event ? endOne(event, ENDINGS_PER_CALL, now) : { isDone: true };
    const after = one.get(before.uuid) ?? before;
    return { event: withCounts(after), withdrawn: after.withdrawn - before.withdrawn, done: isDone };
  }

  return {
    cancelEvent({ publicId }, now) {
      const row = find(publicId);
      if (isRefusal(row)) return row;
      const waiting = withCounts(row).deliveries.pending;
      const isNew = cancel.run({ id: row.id, wallMs: now.wallMs }).changes > 0;
      endResend.run(row.id);
      return { ...step(row, now), waiting, isNew };
    },

    continueCancel({ publicId }, now) {
      const row = find(publicId);
      return isRefusal(row) ? row : step(row, now);
    },
  };
}
