import { laneOf, ROUTES, type Urgency } from '../../../push.ts';
import { type BroughtBack, DEAD_LANE, deadLetterReason } from '../../queue/dead-letter.ts';
import type { QueueEngine } from '../../queue/engine.ts';
import type { EventKey } from '../../queue/fan-out-pages.ts';
import type { Sql } from '../../sql.ts';
import { retryingConflicts, unavailableReason } from '../errors.ts';
import { isEvicted } from '../nodes/leases.ts';
import type { QueueDeps } from './deps.ts';
import type { LettingGo, OwnWork } from './letting-go.ts';

const ADD = `
  INSERT INTO dead_letter (event_id, route, lane, workspace_id, at, reason)
  SELECT CAST(:eventId AS BIGINT), CAST(:route AS TEXT), CAST(:lane AS TEXT), CAST(:workspaceId AS BIGINT),
    coalesce(CAST(:wallMs AS BIGINT), (extract(epoch FROM clock_timestamp()) * 1000)::bigint), CAST(:reason AS TEXT)
  ON CONFLICT DO NOTHING`;

const NEXT = `
  SELECT event_id AS "eventId", route, lane, workspace_id AS "workspaceId" FROM dead_letter
  WHERE event_id = coalesce(CAST(:eventId AS BIGINT), event_id) ORDER BY event_id, route LIMIT :most`;
const FORGET = 'DELETE FROM dead_letter WHERE event_id = :eventId AND route = :route AND lane = :lane';

/** Retries of a new dead letter, and rows that come back, per transaction: as many as this node owns of a lane, at most. */
const MOST_MOVED = 1_000;

/** Selects rows that are free, or that this node owns. */
const IS_OURS = `
  event_id = :eventId AND route = :route AND lane IN (:lane, '${DEAD_LANE}') AND coalesce(owner, CAST(:node AS BIGINT)) = :node`;

/**
 * Moves an event's fan-outs, the retries that this node owns, and some others to the lane of dead letters, and frees them.
 * Outcomes in flight can still be recorded: the node keeps those fan-outs, and claimed retries stay in their lane.
 */
const MOVE = [
  `UPDATE fan_out SET lane = '${DEAD_LANE}', owner = CASE WHEN start = ANY (CAST(:starts AS BIGINT[])) THEN owner END WHERE ${IS_OURS}`,
  `UPDATE delivery SET lane = '${DEAD_LANE}', owner = NULL WHERE event_id = :eventId AND device_id = ANY (ARRAY(
     SELECT device_id FROM delivery
     WHERE ${IS_OURS} AND state = 'pending' AND device_id <> ALL (CAST(:deviceIds AS BIGINT[]))
     ORDER BY owner IS NULL, device_id LIMIT ${MOST_MOVED} FOR UPDATE
   ))`,
];

/** Owners stay: they free these rows once nothing of them is in flight. */
const FAN_OUTS_BACK = `
  UPDATE fan_out SET lane = :lane WHERE event_id = :eventId AND route = :route AND lane = '${DEAD_LANE}'`;
const RETRIES_BACK = `
  UPDATE delivery SET lane = :lane WHERE event_id = :eventId AND device_id = ANY (ARRAY(
    SELECT device_id FROM delivery WHERE event_id = :eventId AND route = :route AND lane = '${DEAD_LANE}' AND state = 'pending'
    ORDER BY device_id LIMIT :most FOR UPDATE
  ))`;

/** Makes a dead letter of an event on a route. Its pushes stay pending, and nobody claims them until they are brought back. */
export function deadLetters(deps: QueueDeps, lettingGo: LettingGo): QueueEngine['addDeadLetter'] {
  return (key, reason, wallMs) =>
    lettingGo.during({ eventId: key.eventId, route: key.route }, async ({ inFlight }) => {
      const { node } = deps;
      for (const fanOut of inFlight.fanOuts) fanOut.isDead = true;
      const addition = { reason, wallMs: deps.now() ? wallMs : null, node, inFlight };
      return retryingConflicts(() => deps.connections.transaction('write', ({ sql }) => add(sql, key, addition)));
    });
}

/** Makes dead letters of an event on all routes, in the current transaction. */
export async function makeDeadLetters(
  sql: Sql,
  eventId: number,
  error: unknown,
  about: Omit<Addition, 'reason'>,
): Promise<void> {
  const event = await sql.get<object, { workspaceId: number; urgency: Urgency }>(
    'SELECT workspace_id AS "workspaceId", urgency FROM event WHERE id = :eventId',
  )({ eventId });
  if (event === undefined) return;
  const { workspaceId, urgency } = event;
  const reason = deadLetterReason(error);
  for (const route of ROUTES) {
    await add(sql, { eventId, workspaceId, route, lane: laneOf(urgency) }, { ...about, reason });
  }
}

/** Returns whether the database or an eviction caused the error, and no bug. */
export function isForeign(error: unknown): boolean {
  return unavailableReason(error) !== undefined || isEvicted(error);
}

/** Brings dead letters of one event, or of all, back to their lanes, in steps. */
export async function bringBack(sql: Sql, eventId: number | null = null): Promise<BroughtBack<EventKey>> {
  const keys: EventKey[] = [];
  let left = MOST_MOVED;
  for (const key of await sql.all<object, EventKey>(NEXT)({ eventId, most: MOST_MOVED })) {
    await sql.run<object>(FAN_OUTS_BACK)(key);
    const most = left;
    left -= 1 + (await sql.run<object>(RETRIES_BACK)({ ...key, most }));
    if (left < 0) return { keys, isMore: true };
    await sql.run<object>(FORGET)(key);
    keys.push(key);
  }
  return { keys, isMore: (await sql.all<object, EventKey>(NEXT)({ eventId, most: 1 })).length > 0 };
}

interface Addition {
  readonly reason: string;
  /** null: the database's time. */
  readonly wallMs: number | null;
  readonly node: number;
  readonly inFlight: OwnWork['inFlight'];
}

async function add(sql: Sql, key: EventKey, { reason, wallMs, node, inFlight }: Addition): Promise<number> {
  await sql.run<object>(ADD)({ ...key, wallMs, reason });
  const { eventId, route, lane } = key;
  const starts = inFlight.fanOuts.filter((fanOut) => fanOut.route === route).map(({ start }) => start);
  const deviceIds = inFlight.retries.map(({ deviceId }) => deviceId);
  let rows = 1;
  for (const statement of MOVE)
    rows += await sql.run<object>(statement)({ eventId, route, lane, node, starts, deviceIds });
  return rows;
}
