import { publicIdOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import type { AnswerOf, ArgsOf } from '../../calls.ts';
import { cancelling } from '../../handlers/events/cancelling.ts';
import type { Handlers } from '../../handlers/handler.ts';
import type { Connection } from '../connections.ts';
import { NO_NODE } from '../nodes/leases.ts';
import { bringBack, isForeign, makeDeadLetters } from './dead-letters.ts';
import { lendRetrying, type QueueDeps } from './deps.ts';

const OVERDUE = `
  SELECT * FROM overdue_events($1, $2, $3, coalesce($4, (extract(epoch FROM clock_timestamp()) * 1000)::bigint))`;

const END = `
  SELECT encode(finished, 'hex') AS finished, left_over FROM (
    SELECT coalesce($4, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS wall_ms
  ) AS clock, end_event($1, $2, $3, wall_ms, coalesce($5, wall_ms))`;

/** Most fan-outs and retries that one call may end unsent. */
export const ENDINGS_PER_CALL = 200;
/** The most events that one call may examine. */
const EVENTS_PER_CALL = 200;

interface Overdue {
  readonly id: number;
  readonly expires_at: number;
  readonly is_over: boolean;
}
type Position = Pick<Overdue, 'id' | 'expires_at'>;
const BEGINNING: Position = { id: 0, expires_at: -1 };

/**
 * Ends expired or cancelled events' pushes that no claim would: on paused routes and of suspended workspaces. Claimed
 * pushes end when settled, or in the next round.
 */
export function sweeping(deps: QueueDeps): (args: ArgsOf<'expireOverdue'>) => Promise<AnswerOf<'expireOverdue'>> {
  let passed = BEGINNING;

  const endOne = (id: number, most: number) => lendRetrying(deps, (connection) => endEvent(connection, deps, id, most));
  const endOneCarefully = (id: number, most: number) =>
    deps.connections.transaction('write', (connection) => endCarefully(connection, deps, id, most));

  return async ({ isCareful = false }) => {
    const steadyMs = deps.now()?.steadyMs ?? null;
    const finished: string[] = [];
    const overdue = await deps.connections.lend(async ({ ask }) => {
      const { rows } = await ask({ text: OVERDUE, values: [passed.expires_at, passed.id, EVENTS_PER_CALL, steadyMs] });
      return rows as readonly Overdue[];
    });
    let left = ENDINGS_PER_CALL;
    for (const event of overdue) {
      if (!event.is_over) {
        passed = event;
        continue;
      }
      const { id } = event;
      const ended = await (isCareful ? endOneCarefully : endOne)(id, left);
      left -= ended.endings;
      if (ended.uuid !== null) finished.push(publicIdOf(ended.uuid));
      if (ended.isLeft || left <= 0) return { finished, more: true };
      passed = event;
    }
    if (overdue.length < EVENTS_PER_CALL) passed = BEGINNING;
    return { finished, more: passed !== BEGINNING };
  };
}

interface Ended {
  /** In hex; set if none of the event's pushes is pending. */
  readonly uuid: string | null;
  readonly endings: number;
  readonly isLeft: boolean;
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
    return { uuid: null, endings: 1, isLeft: false };
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
  return { uuid: ended?.finished ?? null, endings: isLeft ? most : 1, isLeft };
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
