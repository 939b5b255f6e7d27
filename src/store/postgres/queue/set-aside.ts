import { unavailableReason } from '../errors.ts';
import type { QueueDeps } from './deps.ts';
import type { VerdictLine } from './verdict-lines.ts';

const ASIDE = 'set_aside';

const ADD = `
  INSERT INTO set_aside (event_id, route, lane, workspace_id, at, reason)
  SELECT CAST(:eventId AS BIGINT), CAST(:route AS TEXT), CAST(:lane AS TEXT), CAST(:workspaceId AS BIGINT),
    coalesce(CAST(:wallMs AS BIGINT), (extract(epoch FROM clock_timestamp()) * 1000)::bigint), CAST(:reason AS TEXT)
  ON CONFLICT DO NOTHING`;

/** All that a lane holds of an event on a route goes to another: its fan-out, its retries, and what is out of both. */
const MOVE_FAN_OUT = 'UPDATE fan_out SET lane = :to WHERE event_id = :eventId AND route = :route AND lane = :from';
const MOVE_RETRIES = `
  UPDATE delivery SET lane = :to, claim_id = NULL
  WHERE event_id = :eventId AND route = :route AND lane = :from AND state = 'pending'`;
const MOVE_PAGES = `
  UPDATE claim SET lane = :to, node_id = NULL
  WHERE event_id = :eventId AND route = :route AND lane = :from AND from_number < to_number`;
const FORGET_RETRIES = `
  DELETE FROM claim WHERE event_id = :eventId AND route = :route AND lane = :from AND from_number = to_number`;

interface AsideKey {
  readonly eventId: number;
  readonly route: string;
  readonly lane: string;
}

/**
 * Sets aside an event that an error of pushctl itself keeps from being recorded: it stays pending, and nothing else waits
 * for it. Rejects with that error where the database is at fault.
 */
export async function setAside(
  { connections, now }: QueueDeps,
  { part, route, lane }: VerdictLine,
  error: unknown,
): Promise<void> {
  if (unavailableReason(error) !== undefined) throw error;
  const { eventId, workspaceId } = part;
  await connections.transaction('write', async ({ sql }) => {
    const reason = reasonOf(error);
    await sql.run<object>(ADD)({ eventId, route, lane, workspaceId, wallMs: now()?.wallMs ?? null, reason });
    for (const move of [MOVE_FAN_OUT, MOVE_RETRIES, MOVE_PAGES, FORGET_RETRIES]) {
      await sql.run<object>(move)({ eventId, route, from: lane, to: ASIDE });
    }
  });
}

/** Puts all events back into their lanes. */
export async function bringBack({ connections }: QueueDeps): Promise<void> {
  await connections.transaction('write', async ({ sql }) => {
    const keys = await sql.all<object, AsideKey>('DELETE FROM set_aside RETURNING event_id AS "eventId", route, lane')(
      {},
    );
    for (const { eventId, route, lane } of keys) {
      for (const move of [MOVE_FAN_OUT, MOVE_RETRIES, MOVE_PAGES]) {
        await sql.run<object>(move)({ eventId, route, from: ASIDE, to: lane });
      }
    }
  });
}

/** Messages of our own and of the database might quote a text of the event. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const isSafe = ['TypeError', 'RangeError'].includes(error.name);
  return isSafe ? `${error.name}: ${error.message}`.slice(0, 200) : error.name;
}
