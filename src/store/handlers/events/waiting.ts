import { publicIdOf, uuidBytesOf } from '../../../contract/public-id.ts';
import type { Reach } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { isInReach } from '../keys/bindings.ts';
import { IS_THERE } from './states.ts';

const AFTER = 'event_id > CAST(:after AS BIGINT)';
/**
 * Selects events waiting to be sent: first attempts, retries, resends, due ones; not those only to be ended. The plus
 * sign keeps SQLite from reading all events by id for UNION's order.
 */
const WAITING = `
  SELECT event.id, event.uuid FROM event WHERE event.id IN (
    SELECT event_id FROM fan_out WHERE ${AFTER}
    UNION ALL SELECT event_id FROM delivery WHERE state = 'pending' AND ${AFTER}
    UNION ALL SELECT event_id FROM resend WHERE stage <> 'done' AND ${AFTER}
    UNION ALL SELECT id FROM event
      WHERE kind = 'scheduled' AND send_at <= CAST(:wallMs AS BIGINT) AND +id > CAST(:after AS BIGINT)
  )
  AND event.cancelled_at IS NULL AND ${IS_THERE} ORDER BY event.id LIMIT CAST(:limit AS BIGINT)`;

/** Reads an index of a workspace's scheduled events, at most `MOST_HELD_BACK`. */
const SCHEDULED = `
  SELECT event.uuid FROM event JOIN channel ON channel.id = event.channel_id
  WHERE event.workspace_id = :workspaceId AND event.kind = 'scheduled' AND channel.slug = :channel
    AND (event.collapse_key = :collapseKey OR event.uuid = :uuid)
    AND ${isInReach('event.channel_id')}
  ORDER BY event.id`;

export function waitingEvents(sql: Sql) {
  const next = sql.all<{ after: number; limit: number; wallMs: number }, { id: number; uuid: Uint8Array }>(WAITING);
  const scheduled = sql.all<
    Reach & { channel: string; collapseKey: string; uuid: Uint8Array | null },
    { uuid: Uint8Array }
  >(SCHEDULED);

  return {
    async findScheduled({ publicId, ...asked }) {
      const rows = await scheduled({ ...asked, uuid: uuidBytesOf(publicId) });
      return { publicIds: rows.map(({ uuid }) => publicIdOf(Buffer.from(uuid).toString('hex'))) };
    },

    async listWaiting({ after, limit }, { wallMs }) {
      const rows = await next({ after, limit, wallMs });
      return rows.map(({ id, uuid }) => ({ id, public_id: publicIdOf(Buffer.from(uuid).toString('hex')) }));
    },
  } satisfies SomeHandlers;
}
