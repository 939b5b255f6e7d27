import { parse } from 'uuid';
import type { AcceptAnswer, FirstAcceptance } from '../../calls.ts';
import { EVENT_COLUMNS, KEPT_FIELDS, type KeptFields } from '../../event-columns.ts';
import { buildEventRecord } from '../../handlers/events/events.ts';
import { TESTED_DEVICE, type TestedDevice, testEvent } from '../../handlers/events/tests.ts';
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
