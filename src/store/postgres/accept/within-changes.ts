import { parse } from 'uuid';
import { laneOf } from '../../../push.ts';
import type { AcceptAnswer, FirstAcceptance } from '../../calls.ts';
import { EVENT_COLUMNS, KEPT_FIELDS, type KeptFields } from '../../event-columns.ts';
import { TESTED_DEVICE, type TestedDevice, testEvent } from '../../handlers/events/accepting.ts';
import { buildEventRecord } from '../../handlers/events/events.ts';
import { OWN_DEVICES } from '../../handlers/events/left-out.ts';
import type { CallHandlers, EngineDeps } from '../../handlers/handler.ts';
import { sessionOf } from '../../handlers/people/vouchers.ts';
import { noDevice, routeOff, silentDevice } from '../../refusals.ts';
import { lifeMs, type StoreSettings } from '../../settings.ts';
import type { Connection } from '../connections.ts';
import { NO_NODE } from '../nodes/leases.ts';
import { acceptTogether } from './accepting.ts';
import type { AssumedSounds } from './assumed-sounds.ts';

/** Restores the idempotency key freed with the event's previous row. */
const KEEP = `
  WITH kept AS (
    UPDATE event SET idempotency_key = CAST(:idempotencyKey AS TEXT), posted_at = CAST(:postedAtMs AS BIGINT),
      announced = CAST(:announced AS BIGINT)
    WHERE id = CAST(:id AS BIGINT) RETURNING id, workspace_id, idempotency_key
  )
  INSERT INTO idempotency_key (workspace_id, key, event_id)
  SELECT workspace_id, idempotency_key, id FROM kept WHERE idempotency_key IS NOT NULL`;

/**
 * Accepts events of control changes (resends, scheduled events, test pushes) in the change's transaction. One change
 * runs at a time in the cluster, so nodes share a count. The node holds the links.
 */
export function acceptWithinChanges(
  connection: Connection,
  settings: StoreSettings,
  nodeOf: () => number,
  sounds: AssumedSounds,
): Pick<CallHandlers, 'acceptEvent'> & Pick<EngineDeps, 'acceptEvent' | 'testDevice'> {
  const { sql } = connection;
  const testedDevice = sql.get<{ id: string; userId: number | null; session: Buffer }, TestedDevice>(TESTED_DEVICE);
  const insertEvent = sql.insert<Readonly<Record<string, unknown>>>(`
    INSERT INTO event (uuid, workspace_id, had_links, targeted, received_at, expires_at, quiet,
      ${Object.values(EVENT_COLUMNS).join(', ')})
    VALUES (:uuid, :workspaceId, 0, 1, :wallMs, :expiresAtMs, :quiet, ${KEPT_FIELDS.map((field) => `:${field}`).join(', ')})
  `);
  const insertDelivery = sql.run<Readonly<Record<string, unknown>>>(`
    INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at, due_at)
    VALUES (:eventId, :deviceId, :workspaceId, :route, 'urgent', 'pending', 0, :wallMs, :steadyMs)
  `);
  const keep = sql.run<FirstAcceptance & { id: number }>(KEEP);

  return {
    async acceptEvent(args, now): Promise<AcceptAnswer> {
      const limited = new Set<number>();
      for (;;) {
        const deps = { settings, node: NO_NODE, home: nodeOf(), limited, canWait: true, sounds, now };
        const [answer] = await acceptTogether(connection, [{ isCheck: false, args }], deps);
        if (answer === undefined || answer.kind === 'rights_lost' || answer.kind === 'valid') {
          throw new Error('an event without a key is judged by itself alone');
        }
        if (answer.kind === 'again' || answer.kind === 'busy') continue;
        if (answer.kind === 'accepted' && args.released !== undefined)
          await keep({ ...args.released, id: answer.eventId });
        return answer;
      }
    },

    async testDevice({ id, userId = null, uuid, notShowing }, { wallMs, steadyMs }, actor) {
      const device = await testedDevice({ id, userId, session: sessionOf(actor) });
      if (device === undefined) return noDevice(id);
      if (device.status === 'inactive') return silentDevice(id, device.inactive_reason);
      const { route, workspace_id: workspaceId } = device;
      if (!settings.routes.includes(route)) return routeOff(route);
      const { event, quiet }: { event: KeptFields; quiet: string | null } = testEvent(notShowing);
      const expiresAtMs = steadyMs + lifeMs(event.expiresInS, settings.ttlMs);
      const eventId = await insertEvent({ ...event, quiet, uuid: parse(uuid), workspaceId, wallMs, expiresAtMs });
      await insertDelivery({ eventId, deviceId: device.id, workspaceId, route, wallMs, steadyMs });
      const { level, eventType } = event;
      return { event: buildEventRecord(uuid, { level, eventType, targeted: 1, received_at: wallMs }) };
    },
  };
}

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

  return async ({ uuid, notFor = null, onlyOn, onCall = null, ...event }, now) => {
    const { expiresInS, urgency } = event;
    const expiresAtMs = now.steadyMs + lifeMs(expiresInS, settings.ttlMs);
    const otherFields = {
      sendAtMs: null,
      onCall,
      personId: onlyOn === undefined ? notFor : null,
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
