import { parse } from 'uuid';
import { laneOf, type Route } from '../../push.ts';
import { EVENT_COLUMNS, KEPT_FIELDS } from '../event-columns.ts';
import type { EngineDeps } from '../handlers/handler.ts';
import { lifeMs, type StoreSettings } from '../settings.ts';
import { sqlOver } from './sql.ts';
import type { Db } from './transaction.ts';

/** Puts events of the server's own into the queue (`EngineDeps`). */
export function postingOwn(db: Db, settings: StoreSettings): EngineDeps['postOwn'] {
  const sql = sqlOver(db);
  const subscribers = sql.all<{ channelId: number }, { route: Route; devices: number }>(
    'SELECT route, devices FROM audience WHERE channel_id = :channelId AND devices > 0',
  );
  const lastSubscription = sql.value<object, number | null>('SELECT max(number) FROM subscription');
  const insert = sql.insert<object>(`
    INSERT INTO event (uuid, workspace_id, channel_id, had_links, targeted, received_at, expires_at, last_subscription, kind,
      alert_id, alert, ${Object.values(EVENT_COLUMNS).join(', ')})
    VALUES (:uuid, :workspaceId, :channelId, 0, :targeted, :wallMs, :expiresAtMs, :last, :kind, :alertId, :alert,
      ${KEPT_FIELDS.map((field) => `:${field}`).join(', ')})
  `);
  const fanOut = sql.run<object>(`
    INSERT INTO fan_out (route, lane, workspace_id, event_id, channel_id, last, targeted)
    VALUES (:route, :lane, :workspaceId, :id, :channelId, :last, :devices)
  `);

  return ({ uuid, ...event }, now) => {
    const { workspaceId, channelId, expiresInS, urgency } = event;
    const reached = subscribers({ channelId }).filter(({ route }) => settings.routes.includes(route));
    const last = lastSubscription({}) ?? null;
    const targeted = reached.reduce((sum, { devices }) => sum + devices, 0);
    const expiresAtMs = now.steadyMs + lifeMs(expiresInS, settings.ttlMs);
    const id = insert({ ...event, sendAtMs: null, uuid: parse(uuid), wallMs: now.wallMs, expiresAtMs, targeted, last });
    for (const audience of reached) fanOut({ ...audience, lane: laneOf(urgency), workspaceId, channelId, id, last });
  };
}
