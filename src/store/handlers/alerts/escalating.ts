import type { Moment } from '../../../process/clock.ts';
import type { Sql } from '../../sql.ts';
import { alertAudit } from './acting.ts';
import { LAST_REACHED, MOST_CHANNELS } from './alert-rows.ts';
import { NOTIFIED, type NotifiedAlert } from './notifying.ts';
import type { Shown } from './reminding.ts';

const LAST = `
  SELECT last.id, last.escalate_to AS "nextId",
    (SELECT coalesce(max(place), 0) FROM escalation WHERE event_id = alert.event_id) AS place
  FROM alert LEFT JOIN channel AS last ON last.id = ${LAST_REACHED}
  WHERE alert.event_id = :id`;

const NEXT = `
  SELECT id, slug, escalate_after AS "afterS", escalate_to AS "nextId", rota_id AS "rotaId", widen_after AS "widenAfterS" FROM channel
  WHERE id = CAST(:nextId AS BIGINT) AND status = 'active'
    AND id <> (SELECT channel_id FROM alert WHERE event_id = CAST(:id AS BIGINT))
    AND NOT EXISTS (SELECT 1 FROM escalation WHERE event_id = CAST(:id AS BIGINT) AND channel_id = channel.id)`;

const PLAN = `
  UPDATE alert SET set_at = CAST(:steadyMs AS BIGINT), escalate_at = CAST(:atMs AS BIGINT), due_at = CASE
    WHEN CAST(:atMs AS BIGINT) < stops_at THEN CAST(:atMs AS BIGINT) ELSE stops_at END
  WHERE event_id = :id AND state = 'open'`;

interface Last {
  /** Null: the channel is gone. */
  readonly id: number | null;
  /** Null: the channel names none. */
  readonly nextId: number | null;
  readonly place: number;
}
interface Next {
  readonly id: number;
  readonly slug: string;
  readonly afterS: number | null;
  readonly nextId: number | null;
  readonly rotaId: number | null;
  readonly widenAfterS: number | null;
}

/** Escalates an alert to the channel that the last one names. Returns that channel; null: none, or it is gone. */
export function escalating(sql: Sql): (id: number, now: Moment) => Promise<Shown | null> {
  const last = sql.get<{ id: number }, Last>(LAST);
  const next = sql.get<{ id: number; nextId: number | null }, Next>(NEXT);
  const add = sql.run<object>(
    'INSERT INTO escalation (event_id, place, channel_id, widen_at) VALUES (:id, :place, :channelId, CAST(:widenAtMs AS BIGINT))',
  );
  const plan = sql.run<{ id: number; atMs: number | null; steadyMs: number }>(PLAN);
  const notified = sql.get<{ id: number }, NotifiedAlert>(`${NOTIFIED} WHERE alert.event_id = CAST(:id AS BIGINT)`);
  const record = alertAudit(sql);

  return async (id, now) => {
    const { steadyMs } = now;
    const { id: lastId = null, nextId = null, place = 0 } = (await last({ id })) ?? {};
    const found = place < MOST_CHANNELS ? await next({ id, nextId }) : undefined;
    const alert = await notified({ id });
    if (found === undefined) {
      await plan({ id, atMs: null, steadyMs });
      const isLastByPolicy = lastId !== null && nextId === null;
      if (alert !== undefined && !isLastByPolicy)
        await record('alert.escalate', alert, now, 'no further: its next channel is gone');
      return null;
    }
    const { id: channelId, afterS, nextId: further, rotaId, widenAfterS } = found;
    const widenAtMs = widenAfterS === null ? null : steadyMs + 1000 * widenAfterS;
    await add({ id, place: place + 1, channelId, widenAtMs });
    await plan({ id, atMs: further === null || afterS === null ? null : steadyMs + 1000 * afterS, steadyMs });
    if (alert !== undefined) await record('alert.escalate', alert, now, `to ${found.slug}`);
    return { target: channelId, rotaId };
  };
}
