import type { Moment } from '../../../process/clock.ts';
import { laneOf, ROUTES, type Route, type Urgency } from '../../../push.ts';
import { cancelling } from '../../handlers/events/cancelling.ts';
import { UNFINISHED } from '../../handlers/events/states.ts';
import type { Handlers } from '../../handlers/handler.ts';
import { ENDINGS_PER_CALL, type Ended, type Position, type SweepSteps } from '../../queue/sweep.ts';
import { endOfLife } from '../../queue/targets.ts';
import { unsentLine } from '../../queue/verdicts.ts';
import { sqlOver } from '../sql.ts';
import type { Db } from '../transaction.ts';
import type { QueueDeps } from './deps.ts';

const OVERDUE = `
  SELECT id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, urgency, expires_at AS expiresAtSteadyMs,
    cancelled_at IS NOT NULL AS isCancelled
  FROM event
  WHERE ${UNFINISHED} AND expires_at <= :steadyMs AND (expires_at, id) > (:expiresAtSteadyMs, :eventId)
    AND NOT EXISTS (SELECT 1 FROM dead_letter WHERE event_id = event.id)
  ORDER BY expires_at, id LIMIT :most`;

const DEFERRED = `
  SELECT device_id AS deviceId, route FROM delivery INDEXED BY delivery_waiting
  WHERE event_id = :eventId AND state = 'pending'
  ORDER BY device_id LIMIT :limit`;

/** A finished event: nothing more is sent. */
export interface OverEvent {
  readonly eventId: number;
  readonly workspaceId: number;
  readonly channelId: number | null;
  readonly urgency: Urgency;
  readonly isCancelled: 0 | 1;
}
type Overdue = OverEvent & Position;

export function sweepSteps(db: Db, deps: QueueDeps): SweepSteps<Overdue, Moment> {
  const overdue = db.prepare<unknown[], Overdue>(OVERDUE);

  return {
    overdue: (after, most, { steadyMs }) => overdue.all({ ...after, steadyMs, most }),
    end: ending(db, deps),
    endCarefully: endingCarefully(db, deps),
    onRollback: deps.hooks.onRollback,
  };
}

/**
 * Ends events like `ending`, including dead letters, whose error in pushctl may not recur. If it does, the event is a
 * dead letter again, otherwise unchanged.
 */
function endingCarefully(db: Db, deps: QueueDeps) {
  const endOne = ending(db, deps);

  return (event: OverEvent, most: number, now: Moment): Ended => {
    const { eventId, workspaceId, urgency } = event;
    const attempted = deps.hooks.attempt(() => {
      deps.deadLetters.bringBack(eventId);
      return endOne(event, most, now);
    });
    if ('done' in attempted) return attempted.done;
    for (const route of ROUTES) {
      deps.deadLetters.add({ route, lane: laneOf(urgency), workspaceId, eventId }, attempted.error, now.wallMs);
    }
    return { uuids: [], endings: 1, isLeft: false };
  };
}

function ending(db: Db, { claims, record, fresh, counters }: QueueDeps) {
  const deferred = db.prepare<unknown[], { deviceId: number; route: Route }>(DEFERRED);

  return (event: OverEvent, most: number, now: Moment): Ended => {
    const { eventId, workspaceId, channelId, urgency } = event;
    const lane = laneOf(urgency);
    const counts = counters.open(now);
    const ended: (Buffer | null)[] = [];
    for (const route of ROUTES) {
      const fanOut = { route, lane, workspaceId, eventId };
      if (!claims.pages.isOut(fanOut)) ended.push(fresh.end(fanOut, 0, counts));
    }
    const limit = most + claims.claimedRetries;
    const rows = deferred.all({ eventId, limit });
    const idle = rows.filter(({ deviceId }) => !claims.isClaimedRetry(eventId, deviceId));
    for (const [route, devices] of Map.groupBy(idle, (row) => row.route)) {
      const lines = devices.map(({ deviceId }) => unsentLine(deviceId, endOfLife(event)));
      ended.push(record({ route, workspaceId, eventId, channelId }, lane, lines, counts));
    }
    counts.flush();
    const uuids = ended.flatMap((uuid) => uuid?.toString('hex') ?? []);
    return { uuids, endings: 1 + idle.length, isLeft: rows.length >= limit };
  };
}

const OVER = `
  SELECT id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, urgency, 1 AS isCancelled FROM event
  WHERE id = ? AND cancelled_at IS NOT NULL`;

export function cancellingInQueue(db: Db, deps: QueueDeps): Handlers<'cancelEvent' | 'continueCancel'> {
  const over = db.prepare<[number], OverEvent>(OVER);
  const endOne = endingCarefully(db, deps);

  return cancelling(sqlOver(db), async (id: number, now: Moment) => {
    const event = over.get(id);
    return event === undefined || !endOne(event, ENDINGS_PER_CALL, now).isLeft;
  });
}
