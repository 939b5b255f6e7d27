import { parse } from 'uuid';
import { uuidOf } from '../../public-id.ts';
import { EVENT_TEXTS, type EventCountsRow, type EventTextRow, IS_THERE, withCounts } from '../events.ts';
import type { Db, Handlers } from '../handlers.ts';
import { noEvent } from '../refusals.ts';
import { UNFINISHED } from './event-heads.ts';
import type { QueueParts } from './parts.ts';
import { ENDINGS_PER_CALL, ending, type OverEvent } from './sweep.ts';

const ONE = `${EVENT_TEXTS} WHERE event.uuid = ? AND ${IS_THERE}`;

const CANCEL = `UPDATE event SET cancelled_at = :wallMs, expires_at = 0 WHERE id = :id AND cancelled_at IS NULL AND ${UNFINISHED}`;

const END_RESEND = `UPDATE resend SET stage = 'done' WHERE event_id = ? AND stage <> 'done'`;

const OVER = `
  SELECT id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, urgency, 1 AS isCancelled FROM event
  WHERE id = ? AND cancelled_at IS NOT NULL`;

/**
 * Takes an event back. One mark decides: it is over from then on, so nothing of it is claimed, what is handed out is recalled, and what
 * waits ends as withdrawn: some of it here, the rest at the next call, at the next sweep, or where it would have been claimed.
 */
export function cancelling(db: Db, parts: QueueParts): Handlers<'cancelEvent'>['cancelEvent'] {
  const one = db.prepare<[Uint8Array], EventTextRow & EventCountsRow>(ONE);
  const cancel = db.prepare<{ id: number; wallMs: number }>(CANCEL);
  const endResend = db.prepare<[number]>(END_RESEND);
  const over = db.prepare<[number], OverEvent>(OVER);
  const endOne = ending(db, parts);

  return ({ publicId }, { wallMs, steadyMs }) => {
    const uuid = uuidOf(publicId);
    const row = uuid === null ? undefined : one.get(parse(uuid));
    if (uuid === null || row === undefined) return noEvent(publicId);
    const before = withCounts(row).deliveries;
    const isNew = cancel.run({ id: row.id, wallMs }).changes > 0;
    endResend.run(row.id);
    const event = over.get(row.id);
    const counts = parts.counters.open(wallMs);
    const { isDone } = event ? endOne(event, ENDINGS_PER_CALL, steadyMs, counts) : { isDone: true };
    counts.flush();
    const now = withCounts(one.get(parse(uuid)) ?? row);
    return {
      event: now,
      isNew,
      waiting: before.pending,
      withdrawn: now.deliveries.withdrawn - before.withdrawn,
      more: !isDone,
    };
  };
}
