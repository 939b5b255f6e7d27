import { laneOf, ROUTES, type Urgency } from '../../../push.ts';
import { DEAD_LANE, deadLetterReason } from '../../queue/dead-letter.ts';
import type { QueueEngine } from '../../queue/engine.ts';
import type { EventKey } from '../../queue/fan-out-pages.ts';
import type { Sql } from '../../sql.ts';
import { unavailableReason } from '../errors.ts';
import { isEvicted } from '../nodes/leases.ts';
import type { QueueDeps } from './deps.ts';

const ADD = `
  INSERT INTO dead_letter (event_id, route, lane, workspace_id, at, reason)
  SELECT CAST(:eventId AS BIGINT), CAST(:route AS TEXT), CAST(:lane AS TEXT), CAST(:workspaceId AS BIGINT),
    coalesce(CAST(:wallMs AS BIGINT), (extract(epoch FROM clock_timestamp()) * 1000)::bigint), CAST(:reason AS TEXT)
  ON CONFLICT DO NOTHING`;

const FORGET = `
  DELETE FROM dead_letter WHERE event_id = coalesce(CAST(:eventId AS BIGINT), event_id)
  RETURNING event_id AS "eventId", route, lane, workspace_id AS "workspaceId"`;

/** Moves an event's fan-out and retries between lanes of a route, and frees them, except what other nodes own. */
const MOVE = ['fan_out', 'delivery'].map(
  (table) => `
  UPDATE ${table} SET lane = :to, owner = NULL
  WHERE event_id = :eventId AND route = :route AND lane = :from AND coalesce(owner, CAST(:node AS BIGINT)) = :node
    ${table === 'delivery' ? "AND state = 'pending'" : ''}`,
);

/**
 * Makes a dead letter of an event that an error of pushctl keeps from being sent or recorded. Its pushes stay pending; no
 * other push waits.
 */
export function deadLetters(deps: QueueDeps): QueueEngine['addDeadLetter'] {
  const { connections, leased } = deps;
  return async (key, reason, wallMs) => {
    await connections.transaction('write', ({ sql }) => add(sql, key, reason, deps.now() ? wallMs : null, deps.node));
    const { fanOuts, retries } = leased.ofEvent(key.eventId);
    for (const fanOut of fanOuts) if (fanOut.route === key.route) leased.removeFanOut(fanOut);
    for (const { route, deviceId } of retries) if (route === key.route) leased.removeRetry(key.eventId, deviceId);
  };
}

/** Makes dead letters for all routes in the current transaction. */
export async function makeDeadLetters(
  sql: Sql,
  eventId: number,
  error: unknown,
  { wallMs, node }: { readonly wallMs: number | null; readonly node: number },
): Promise<void> {
  const event = await sql.get<object, { workspaceId: number; urgency: Urgency }>(
    'SELECT workspace_id AS "workspaceId", urgency FROM event WHERE id = :eventId',
  )({ eventId });
  if (event === undefined) return;
  const { workspaceId, urgency } = event;
  const reason = deadLetterReason(error);
  for (const route of ROUTES) {
    await add(sql, { eventId, workspaceId, route, lane: laneOf(urgency) }, reason, wallMs, node);
  }
}

/** Whether the error is not pushctl's own. */
export function isForeign(error: unknown): boolean {
  return unavailableReason(error) !== undefined || isEvicted(error);
}

/** Returns one event, or all, to their lane. Returns which. */
export async function bringBack(sql: Sql, eventId: number | null = null): Promise<readonly EventKey[]> {
  const keys = await sql.all<object, EventKey>(FORGET)({ eventId });
  for (const key of keys) await move(sql, key, DEAD_LANE, key.lane, 0);
  return keys;
}

async function add(sql: Sql, key: EventKey, reason: string, wallMs: number | null, node: number): Promise<void> {
  await sql.run<object>(ADD)({ ...key, wallMs, reason });
  await move(sql, key, key.lane, DEAD_LANE, node);
}

async function move(sql: Sql, key: EventKey, from: string, to: string, node: number): Promise<void> {
  const { eventId, route } = key;
  for (const statement of MOVE) await sql.run<object>(statement)({ eventId, route, from, to, node });
}
