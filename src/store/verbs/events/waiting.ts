import { publicIdOf } from '../../../contract/public-id.ts';
import type { Sql } from '../../sql.ts';
import type { Verbs } from '../verb.ts';
import { IS_THERE } from './is-there.ts';

const AFTER = 'event_id > CAST(:after AS BIGINT)';
/** To be sent for the first time, for another try, anew, or later; not what is only to be ended. */
const WAITING = `
  SELECT event.id, event.uuid FROM event JOIN (
    SELECT event_id FROM fan_out WHERE ${AFTER}
    UNION SELECT event_id FROM delivery WHERE state = 'pending' AND ${AFTER}
    UNION SELECT event_id FROM resend WHERE stage <> 'done' AND ${AFTER}
    UNION SELECT id FROM event WHERE kind = 'scheduled' AND id > CAST(:after AS BIGINT)
  ) AS waiting ON waiting.event_id = event.id
  WHERE event.cancelled_at IS NULL AND ${IS_THERE} ORDER BY event.id LIMIT CAST(:limit AS BIGINT)`;

export function waitingEvents(sql: Sql): Verbs<'listWaiting'> {
  const next = sql.all<{ after: number; limit: number }, { id: number; uuid: Uint8Array }>(WAITING);

  return {
    async listWaiting({ after, limit }) {
      const rows = await next({ after, limit });
      return rows.map(({ id, uuid }) => ({ id, public_id: publicIdOf(Buffer.from(uuid).toString('hex')) }));
    },
  };
}
