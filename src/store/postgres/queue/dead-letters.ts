import { laneOf, ROUTES, type Urgency } from '../../../push.ts';
import { DEAD_LANE, deadLetterReason } from '../../queue/dead-letter.ts';
import type { FanOutKey } from '../../queue/fan-out-pages.ts';
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
  RETURNING event_id AS "eventId", route, lane`;

/** Moves an event's fan-out and retries between lanes of a route, except what other claims hold. */
const MOVE = [
  'UPDATE fan_out SET lane = :to WHERE event_id = :eventId AND route = :route AND lane = :from',
  `UPDATE delivery SET lane = :to, claim_id = NULL
    WHERE event_id = :eventId AND route = :route AND lane = :from AND state = 'pending'
      AND (claim_id IS NULL OR claim_id = ANY (CAST(:claimIds AS BIGINT[])))`,
  'DELETE FROM claim WHERE id = ANY (CAST(:claimIds AS BIGINT[])) AND event_id = :eventId AND from_number = to_number',
  `UPDATE claim SET lane = :to, node_id = NULL
    WHERE event_id = :eventId AND route = :route AND lane = :from
      AND (node_id IS NULL OR id = ANY (CAST(:claimIds AS BIGINT[])))`,
];

/**
 * Makes a dead letter of an event that an error of pushctl keeps from being sent or recorded. Its pushes here stay
 * pending; no other push waits. Rejects with that error if the database is at fault.
 */
export async function makeDeadLetter(
  { connections, now }: QueueDeps,
  key: FanOutKey,
  claimIds: readonly number[],
  error: unknown,
): Promise<void> {
  if (isForeign(error)) throw error;
  await connections.transaction('write', ({ sql }) => add(sql, key, claimIds, error, now()?.wallMs ?? null));
}

/** Makes dead letters for all routes in the current transaction. */
export async function makeDeadLetters(sql: Sql, eventId: number, error: unknown, wallMs: number | null): Promise<void> {
  const event = await sql.get<object, { workspaceId: number; urgency: Urgency }>(
    'SELECT workspace_id AS "workspaceId", urgency FROM event WHERE id = :eventId',
  )({ eventId });
  if (event === undefined) return;
  const { workspaceId, urgency } = event;
  for (const route of ROUTES) await add(sql, { eventId, workspaceId, route, lane: laneOf(urgency) }, [], error, wallMs);
}

/** Whether the error is not pushctl's own. */
export function isForeign(error: unknown): boolean {
  return unavailableReason(error) !== undefined || isEvicted(error);
}

/** Returns one event, or all, to their lane. Returns which. */
export async function bringBack(
  sql: Sql,
  eventId: number | null = null,
): Promise<readonly Omit<FanOutKey, 'workspaceId'>[]> {
  const keys = await sql.all<object, Omit<FanOutKey, 'workspaceId'>>(FORGET)({ eventId });
  for (const key of keys) await move(sql, { ...key, from: DEAD_LANE, to: key.lane, claimIds: [] });
  return keys;
}

async function add(
  sql: Sql,
  key: FanOutKey,
  claimIds: readonly number[],
  error: unknown,
  wallMs: number | null,
): Promise<void> {
  await sql.run<object>(ADD)({ ...key, wallMs, reason: deadLetterReason(error) });
  await move(sql, { ...key, from: key.lane, to: DEAD_LANE, claimIds });
}

interface Move extends Omit<FanOutKey, 'workspaceId'> {
  readonly from: string;
  readonly to: string;
  readonly claimIds: readonly number[];
}

async function move(sql: Sql, params: Move): Promise<void> {
  for (const statement of MOVE) await sql.run<object>(statement)(params);
}
