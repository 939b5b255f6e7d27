import type { Moment } from '../../../process/clock.ts';
import { cancelling } from '../../handlers/events/cancelling.ts';
import type { Handlers } from '../../handlers/handler.ts';
import { ENDINGS_PER_CALL, type Ended, type Position, type SweepSteps } from '../../queue/sweep.ts';
import type { Connection } from '../connections.ts';
import { retryingConflicts } from '../errors.ts';
import { bringBack, isForeign, makeDeadLetters } from './dead-letters.ts';
import { askOfQueue, type QueueDeps } from './deps.ts';
import type { LetGo, LettingGo, OwnWork } from './letting-go.ts';

const OVERDUE = `
  SELECT id AS "eventId", expires_at AS "expiresAtSteadyMs", is_over AS "isOver"
  FROM overdue_events($1, $2, $3, coalesce($4, vouched_time()))`;

const END = `
  SELECT encode(finished, 'hex') AS finished, left_over FROM (
    SELECT coalesce($6, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS wall_ms
  ) AS clock, end_event($1, $2, $3, $4, $5, wall_ms, coalesce($7, vouched_time()))`;

export interface Overdue extends Position {
  readonly isOver: boolean;
}

export function sweepSteps(deps: QueueDeps, lettingGo: LettingGo) {
  return {
    async overdue({ eventId, expiresAtSteadyMs }: Position, most: number) {
      const values = [expiresAtSteadyMs, eventId, most, deps.now()?.steadyMs ?? null];
      return (await askOfQueue(deps, OVERDUE, values)).rows as readonly Overdue[];
    },
    end: ({ eventId }: Pick<Overdue, 'eventId'>, most: number) =>
      lettingGo.during({ eventId, most }, (own) =>
        retryingConflicts(() => deps.connections.lend((lent) => endEvent(lent, deps, eventId, most, own))),
      ),
    endCarefully: ({ eventId }: Pick<Overdue, 'eventId'>, most: number) =>
      lettingGo.during({ eventId, most }, (own) =>
        retryingConflicts(() =>
          deps.connections.transaction('write', (lent) => endCarefully(lent, deps, eventId, most, own)),
        ),
      ),
  } satisfies SweepSteps<Overdue, void>;
}

/**
 * Ends like `endEvent`, in a transaction, after restoring dead letters. After another error the event is a dead letter
 * again, nothing else changed.
 */
async function endCarefully(
  connection: Connection,
  deps: Pick<QueueDeps, 'node' | 'now'>,
  id: number,
  most: number,
  own: OwnWork,
): Promise<Ended> {
  await connection.execute('SAVEPOINT ending');
  try {
    const { isMore } = await bringBack(connection.sql, id);
    const ended = await endEvent(connection, deps, id, most, own);
    await connection.execute('RELEASE ending');
    return { ...ended, isLeft: ended.isLeft || isMore };
  } catch (error) {
    if (isForeign(error)) throw error;
    await connection.execute('ROLLBACK TO ending; RELEASE ending');
    const { inFlight } = own;
    await makeDeadLetters(connection.sql, id, error, { wallMs: deps.now()?.wallMs ?? null, node: deps.node, inFlight });
    return { uuids: [], endings: 1, isLeft: false };
  }
}

/** Ends an event's waiting pushes, at most `most` retries: what is free, and what is idle of `own`. */
async function endEvent(
  { ask }: Pick<Connection, 'ask'>,
  { node, now }: Pick<QueueDeps, 'node' | 'now'>,
  id: number,
  most: number,
  { idle: { fanOuts, retries }, isMore }: OwnWork,
): Promise<Ended> {
  const moment = now();
  const starts = JSON.stringify(fanOuts.map(({ route, start }) => ({ route, start })));
  const idle = [starts, retries.map(({ deviceId }) => deviceId)];
  const values = [id, most, node, ...idle, moment?.wallMs ?? null, moment?.steadyMs ?? null];
  const { rows } = await ask({ text: END, values });
  const [ended] = rows as readonly { readonly finished: string | null; readonly left_over: boolean }[];
  const isLeft = isMore || (ended?.left_over ?? false);
  return { uuids: ended?.finished ? [ended.finished] : [], endings: isLeft ? most : 1, isLeft };
}

export function cancellingInQueue(
  connection: Connection,
  nodeOf: () => number,
  letGo: LetGo,
): Handlers<'cancelEvent' | 'continueCancel'> {
  const { sql } = connection;
  const isCancelled = sql.value<{ id: number }, boolean>('SELECT cancelled_at IS NOT NULL FROM event WHERE id = :id');

  return cancelling(sql, async (id: number, now: Moment) => {
    if ((await isCancelled({ id })) !== true) return true;
    const deps = { node: nodeOf(), now: () => now };
    const { isLeft } = await endCarefully(connection, deps, id, ENDINGS_PER_CALL, letGo(id, ENDINGS_PER_CALL));
    return !isLeft;
  });
}
