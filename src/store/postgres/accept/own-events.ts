import { parse } from 'uuid';
import { laneOf } from '../../../push.ts';
import { EVENT_COLUMNS, KEPT_FIELDS } from '../../event-columns.ts';
import { OWN_DEVICES } from '../../handlers/events/left-out.ts';
import type { EngineDeps } from '../../handlers/handler.ts';
import { lifeMs, type StoreSettings } from '../../settings.ts';
import type { Connection } from '../connections.ts';

const NUMBERS: readonly string[] = ['expiresInS', 'occurredAtMs', 'oneText', 'sendAtMs'];

/** Finds the targets in the same statement: event and targets from one snapshot. */
const POST = `
  WITH own AS MATERIALIZED (
    SELECT * FROM (
      SELECT * FROM (${OWN_DEVICES}) AS left_out UNION ALL
      SELECT * FROM json_to_recordset(CAST(:onlyOn AS JSON)) AS addressed("deviceId" BIGINT, route TEXT)
    ) AS device WHERE route = ANY (CAST(:routes AS TEXT[]))
  ), reached AS MATERIALIZED (
    SELECT route, devices - (SELECT count(*) FROM own WHERE own.route = audience.route) AS devices FROM audience
    WHERE channel_id = CAST(:channelId AS BIGINT) AND route = ANY (CAST(:routes AS TEXT[])) AND CAST(:isForOne AS BIGINT) = 0
      AND devices > (SELECT count(*) FROM own WHERE own.route = audience.route)
  ), posted AS (
    INSERT INTO event (uuid, workspace_id, channel_id, had_links, targeted, received_at, expires_at, last_subscription, kind,
      alert_id, alert, quiet, on_call, ${Object.values(EVENT_COLUMNS).join(', ')})
    SELECT CAST(:uuid AS BYTEA), CAST(:workspaceId AS BIGINT), channel.id, 0, coalesce((SELECT sum(devices) FROM reached), 0) + CAST(:isForOne AS BIGINT) * (SELECT count(*) FROM own), CAST(:wallMs AS BIGINT),
      CAST(:expiresAtMs AS BIGINT), last_number, :kind, CAST(:alertId AS BIGINT), :alert, :quiet, CAST(:onCall AS BIGINT),
      ${KEPT_FIELDS.map((field) => `CAST(:${field} AS ${NUMBERS.includes(field) ? 'BIGINT' : 'TEXT'})`).join(', ')}
    FROM (SELECT CAST(:channelId AS BIGINT) AS id) AS place LEFT JOIN channel ON channel.id = place.id
    WHERE place.id IS NULL OR channel.id IS NOT NULL
    RETURNING id, workspace_id, channel_id, last_subscription, expires_at
  ), queued AS (
    INSERT INTO fan_out (route, lane, workspace_id, event_id, channel_id, last, targeted, expires_at)
    SELECT route, :lane, workspace_id, id, channel_id, last_subscription, devices, expires_at FROM posted CROSS JOIN reached
  ), own_pushes AS (
    INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at, due_at, expires_at)
    SELECT posted.id, own."deviceId", workspace_id, own.route, :lane, CASE CAST(:isForOne AS BIGINT) WHEN 1 THEN 'pending' ELSE 'withdrawn' END,
      0, CASE CAST(:isForOne AS BIGINT) WHEN 0 THEN 'own_act' END, CAST(:wallMs AS BIGINT),
      CASE CAST(:isForOne AS BIGINT) WHEN 1 THEN CAST(:steadyMs AS BIGINT) END,
      CASE CAST(:isForOne AS BIGINT) WHEN 1 THEN posted.expires_at END
    FROM posted CROSS JOIN own
  )
  SELECT id FROM posted`;

export function postingOwn({ sql }: Connection, settings: StoreSettings): EngineDeps['postOwn'] {
  const post = sql.run<object>(POST);

  return async ({ uuid, notFor: personId = null, onlyOn, onCall = null, ...event }, now) => {
    const { expiresInS, urgency } = event;
    const expiresAtMs = now.steadyMs + lifeMs(expiresInS, settings.ttlMs);
    const otherFields = {
      sendAtMs: null,
      onCall,
      personId,
      onlyOn: JSON.stringify(onlyOn ?? []),
      isForOne: onlyOn === undefined ? 0 : 1,
      steadyMs: now.steadyMs,
      uuid: parse(uuid),
      lane: laneOf(urgency),
      routes: settings.routes,
      wallMs: now.wallMs,
      expiresAtMs,
    };
    await post({ ...event, ...otherFields });
  };
}
