import type { Moment } from '../../../process/clock.ts';
import { cancelling } from '../../handlers/events/cancelling.ts';
import type { Handlers } from '../../handlers/handler.ts';
import { ENDINGS_PER_CALL, type Ended, type Position, type SweepSteps } from '../../queue/sweep.ts';
import type { Connection } from '../connections.ts';
import { NO_NODE } from '../nodes/leases.ts';
import { bringBack, isForeign, makeDeadLetters } from './dead-letters.ts';
import { lendRetrying, type QueueDeps } from './deps.ts';

const OVERDUE = `
  SELECT id AS "eventId", expires_at AS "expiresAtSteadyMs", is_over AS "isOver"
  FROM overdue_events($1, $2, $3, coalesce($4, (extract(epoch FROM clock_timestamp()) * 1000)::bigint))`;

const END = `
  SELECT encode(finished, 'hex') AS finished, left_over FROM (
    SELECT coalesce($4, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS wall_ms
  ) AS clock, end_event($1, $2, $3, wall_ms, coalesce($5, wall_ms))`;

interface Overdue extends Position {
  readonly isOver: boolean;
}

export function sweepSteps(deps: QueueDeps): SweepSteps<Overdue, void> {
  return {
    overdue: ({ eventId, expiresAtSteadyMs }, most) =>
      deps.connections.lend(async ({ ask }) => {
        const values = [expiresAtSteadyMs, eventId, most, deps.now()?.steadyMs ?? null];
        return (await ask({ text: OVERDUE, values })).rows as readonly Overdue[];
      }),
    end: ({ eventId }, most) => lendRetrying(deps, (connection) => endEvent(connection, deps, eventId, most)),
    endCarefully: ({ eventId }, most) =>
      deps.connections.transaction('write', (connection) => endCarefully(connection, deps, eventId, most)),
  };
}

/**
 * Ends like `endEvent`, in a transaction, after restoring dead letters. After another error the event is a dead letter
 * again, nothing else changed.
 */
export async function endCarefully(
  connection: Connection,
  deps: Pick<QueueDeps, 'node' | 'now'>,
  id: number,
  most: number,
): Promise<Ended> {
  await connection.execute('SAVEPOINT ending');
  try {
    await bringBack(connection.sql, id);
    const ended = await endEvent(connection, deps, id, most);
    await connection.execute('RELEASE ending');
    return ended;
  } catch (error) {
    if (isForeign(error)) throw error;
    await connection.execute('ROLLBACK TO ending; RELEASE ending');
    await makeDeadLetters(connection.sql, id, error, deps.now()?.wallMs ?? null);
    return { uuids: [], endings: 1, isLeft: false };
  }
}

/** Ends an event's waiting pushes, at most `most` retries. */
async function endEvent(
  { ask }: Pick<Connection, 'ask'>,
  { node, now }: Pick<QueueDeps, 'node' | 'now'>,
  id: number,
  most: number,
): Promise<Ended> {
  const moment = now();
  const { rows } = await ask({ text: END, values: [id, most, node, moment?.wallMs ?? null, moment?.steadyMs ?? null] });
  const [ended] = rows as readonly { readonly finished: string | null; readonly left_over: boolean }[];
  const isLeft = ended?.left_over ?? false;
  return { uuids: ended?.finished ? [ended.finished] : [], endings: isLeft ? most : 1, isLeft };
}

export function cancellingInQueue(connection: Connection): Handlers<'cancelEvent' | 'continueCancel'> {
  const { sql } = connection;
  const isCancelled = sql.value<{ id: number }, boolean>('SELECT cancelled_at IS NOT NULL FROM event WHERE id = :id');

  return cancelling(sql, async (id: number, now: Moment) => {
    if ((await isCancelled({ id })) !== true) return true;
    const { isLeft } = await endCarefully(connection, { node: NO_NODE, now: () => now }, id, ENDINGS_PER_CALL);
    return !isLeft;
  });
}
