import { publicIdOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import { laneOf, ROUTES, type Route, type Urgency } from '../../../push.ts';
import { cancelling } from '../../handlers/events/cancelling.ts';
import { UNFINISHED } from '../../handlers/events/states.ts';
import type { Handlers } from '../../handlers/handler.ts';
import { sqlOver } from '../sql.ts';
import type { Db, SyncHandlers } from '../transaction.ts';
import type { OpenCounters } from './counters.ts';
import type { QueueDeps } from './deps.ts';
import { endOfLife, unsentLine } from './recorder.ts';

const OVERDUE = `
  SELECT id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, urgency, expires_at AS expiresAtSteadyMs,
    cancelled_at IS NOT NULL AS isCancelled
  FROM event
  WHERE ${UNFINISHED} AND expires_at <= :steadyMs AND (expires_at, id) > (:expiresAtSteadyMs, :eventId)
    AND NOT EXISTS (SELECT 1 FROM dead_letter WHERE event_id = event.id)
  ORDER BY expires_at, id LIMIT :limit`;

const DEFERRED = `
  SELECT device_id AS deviceId, route FROM delivery INDEXED BY delivery_waiting
  WHERE event_id = :eventId AND state = 'pending'
  ORDER BY device_id LIMIT :limit`;

/** Fan-outs and retries that one call may end unsent: a dead backlog cannot block the thread. */
export const ENDINGS_PER_CALL = 200;

interface Position {
  readonly eventId: number;
  readonly expiresAtSteadyMs: number;
}
interface Ended {
  readonly uuids: readonly Buffer[];
  readonly endings: number;
  readonly isDone: boolean;
}
/** A finished event: nothing more is sent. */
export interface OverEvent {
  readonly eventId: number;
  readonly workspaceId: number;
  readonly channelId: number | null;
  readonly urgency: Urgency;
  readonly isCancelled: 0 | 1;
}
type Overdue = OverEvent & Position;
const BEGINNING: Position = { eventId: 0, expiresAtSteadyMs: 0 };

/**
 * Ends expired events' pushes on routes that nothing is claimed from: paused ones, and those of suspended workspaces.
 * Visits events by expiry. Claimed pushes end when settled, or in the next round.
 */
export function sweep(db: Db, deps: QueueDeps): SyncHandlers<'expireOverdue'>['expireOverdue'] {
  const overdue = db.prepare<unknown[], Overdue>(OVERDUE);
  const endOne = ending(db, deps);
  const endCarefully = endingCarefully(db, deps);
  let passed = BEGINNING;

  return ({ isCareful }, { steadyMs, wallMs }) => {
    const counters = deps.counters.open(wallMs);
    const finished: string[] = [];
    const before = passed;
    deps.hooks.onRollback(() => {
      passed = before;
    });
    let left = ENDINGS_PER_CALL;
    let more = false;
    for (const event of overdue.all({ ...passed, steadyMs, limit: ENDINGS_PER_CALL })) {
      const ended = isCareful
        ? endCarefully(event, left, { steadyMs, wallMs })
        : endOne(event, left, steadyMs, counters);
      finished.push(...ended.uuids.map((uuid) => publicIdOf(uuid.toString('hex'))));
      left -= ended.endings;
      if (ended.isDone) passed = event;
      more = left <= 0 || !ended.isDone;
      if (more) break;
    }
    if (!more) passed = BEGINNING;
    counters.flush();
    return { finished, more };
  };
}

/**
 * Ends events like `ending`, including dead letters, whose error in pushctl may not recur. If it does, the event is a
 * dead letter again, otherwise unchanged.
 */
function endingCarefully(db: Db, deps: QueueDeps) {
  const endOne = ending(db, deps);

  return (event: OverEvent, limit: number, { steadyMs, wallMs }: Moment): Ended => {
    const { eventId, workspaceId, urgency } = event;
    const counters = deps.counters.open(wallMs);
    const attempted = deps.hooks.attempt(() => {
      deps.deadLetters.bringBack(eventId);
      const ended = endOne(event, limit, steadyMs, counters);
      counters.flush();
      return ended;
    });
    if ('done' in attempted) return attempted.done;
    for (const route of ROUTES) {
      deps.deadLetters.add({ route, lane: laneOf(urgency), workspaceId, eventId }, attempted.error, wallMs);
    }
    return { uuids: [], endings: 1, isDone: true };
  };
}

/** Ends an event's waiting work: fan-outs, and up to `limit` retries. */
function ending(db: Db, { claims, record, fresh }: QueueDeps) {
  const deferred = db.prepare<unknown[], { deviceId: number; route: Route }>(DEFERRED);

  return (
    { eventId, workspaceId, channelId, urgency, isCancelled }: OverEvent,
    limit: number,
    steadyMs: number,
    to: OpenCounters,
  ): Ended => {
    const lane = laneOf(urgency);
    const ended: (Buffer | null)[] = [];
    for (const route of ROUTES) {
      const fanOut = { route, lane, workspaceId, eventId };
      if (!claims.pages.isOut(fanOut)) ended.push(fresh.end(fanOut, 0, steadyMs, to));
    }
    const asked = limit + claims.claimedRetries;
    const rows = deferred.all({ eventId, limit: asked });
    const idle = rows.filter(({ deviceId }) => !claims.isClaimedRetry(eventId, deviceId));
    for (const [route, devices] of Map.groupBy(idle, (row) => row.route)) {
      const lines = devices.map(({ deviceId }) => unsentLine(deviceId, endOfLife({ isCancelled })));
      ended.push(record({ route, workspaceId, eventId, channelId }, lane, lines, to));
    }
    const uuids = ended.filter((uuid) => uuid !== null);
    return { uuids, endings: 1 + idle.length, isDone: rows.length < asked };
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
    return event === undefined || endOne(event, ENDINGS_PER_CALL, now).isDone;
  });
}
