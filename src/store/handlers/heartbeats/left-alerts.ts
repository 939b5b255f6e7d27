import type { Moment } from '../../../process/clock.ts';
import type { Sql } from '../../sql.ts';
import { IS_LIVE } from '../alerts/alert-rows.ts';
import { alertEnds } from '../alerts/ends.ts';
import { NOTIFIED, type NotifiedAlert, notifying } from '../alerts/notifying.ts';
import type { EngineDeps } from '../handler.ts';
import { collapseKeyOf } from './events.ts';
import type { HeartbeatRow } from './rows.ts';

const LIVE = `
  SELECT event_id FROM alert
  WHERE ${IS_LIVE} AND channel_id = CAST(:channelId AS BIGINT) AND collapse_key = CAST(:collapseKey AS TEXT)`;

/** Resolves the alert of a down heartbeat that left its channel: no ping could end it. */
export function leftAlerts(
  sql: Sql,
  deps: Pick<EngineDeps, 'postOwn'>,
): (row: HeartbeatRow, now: Moment) => Promise<void> {
  const live = sql.value<{ channelId: number; collapseKey: string }, number>(LIVE);
  const notified = sql.get<{ id: number }, NotifiedAlert>(`${NOTIFIED} WHERE alert.event_id = CAST(:id AS BIGINT)`);
  const ends = alertEnds(sql);
  const notify = notifying(sql, deps);

  return async (row, now) => {
    const { channelId, downSince } = row;
    const id = downSince === null ? undefined : await live({ channelId, collapseKey: collapseKeyOf(row) });
    if (id === undefined) return;
    if (!(await ends.end({ id, channelId }, 'resolved', { kind: 'sender', name: null, actor: null }, now))) return;
    const alert = await notified({ id });
    if (alert !== undefined) await notify.noticeInOwn(alert, now);
  };
}
