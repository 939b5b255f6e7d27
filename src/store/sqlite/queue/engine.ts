import type { Moment } from '../../../process/clock.ts';
import type { Route, Urgency } from '../../../push.ts';
import { unmutedFor } from '../../handlers/devices/mutes.ts';
import { UNFINISHED } from '../../handlers/events/states.ts';
import { type BroughtBack, DEAD_LANE } from '../../queue/dead-letter.ts';
import type { Answered, Asked, FanOut, QueueEngine, Retry } from '../../queue/engine.ts';
import type { EventKey } from '../../queue/fan-out-pages.ts';
import type { Position } from '../../queue/sweep.ts';
import { type EventHead, isExpired, type RetryRow, selectHeads, type TargetRow } from '../../queue/targets.ts';
import { sqlOver } from '../sql.ts';
import type { Db, TransactionHooks } from '../transaction.ts';
import { recorder } from './recorder.ts';

/**
 * Finds both minima by one index seek, however long the queue. In all queue statements, a `+` before a parameter hides
 * its value from SQLite's planner. Otherwise each run recompiles the statement, ten times its own cost.
 */
const NEXT_WORKSPACE = `
  SELECT min(id) AS id FROM (
    SELECT min(workspace_id) AS id FROM fan_out WHERE route = +:route AND lane = +:lane AND workspace_id > +:after
    UNION ALL
    SELECT min(workspace_id) FROM delivery
    WHERE state = 'pending' AND route = +:route AND lane = +:lane AND workspace_id > +:after
  )`;

/** While a former member's devices are removed, the workspace waits: claims cannot tell owners. */
const IS_ACTIVE = `
  SELECT status = 'active' AND NOT EXISTS (SELECT 1 FROM cleanup_job WHERE holds = 1 AND workspace_id = workspace.id)
  FROM workspace WHERE id = ?`;

const FAN_OUT = `
  SELECT event_id AS eventId, event_id AS fanOutId, route, lane, workspace_id AS workspaceId, channel_id AS channelId, cursor, last, targeted - recorded AS left
  FROM fan_out WHERE route = +:route AND lane = +:lane AND workspace_id = +:workspaceId`;
const FAN_OUTS = `${FAN_OUT} AND event_id > +:after ORDER BY event_id LIMIT +:limit`;
const ONE_FAN_OUT = `${FAN_OUT} AND event_id = +:eventId`;

const RETRIES = `
  SELECT event_id AS eventId, device_id AS deviceId, due_at AS dueAt FROM delivery
  WHERE state = 'pending' AND route = +:route AND lane = +:lane AND workspace_id = +:workspaceId AND due_at <= +:dueBy
  ORDER BY due_at LIMIT +:most`;

const HEAD = `${selectHeads('event')} AND event.id = +?`;

/** The anti-join skips what was settled out of order before a crash. */
const PAGE = `
  SELECT s.number, v.id AS deviceId, 0 AS attempts, v.token, v.token_kind AS tokenKind, v.keys,
    v.accepted_at IS NOT NULL AS wasAccepted, v.refused_at IS NOT NULL AS isQuarantined,
    s.min_level > +:level OR s.muted_until > +:wallMs AS isMuted, s.user_id <> +:onCall AS isInformed
  FROM subscription s JOIN device v ON v.id = s.device_id
  WHERE s.channel_id = +:channelId AND s.route = +:route AND s.active = 1 AND s.number > +:from AND s.number <= +:to
    AND v.status = 'active' AND s.generation = v.generation
    AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_id = +:eventId AND d.device_id = s.device_id)
  ORDER BY s.number LIMIT +:most`;

/** Excludes devices that changed environment: the old one would call their token dead. */
const RETRY = `
  SELECT d.device_id AS deviceId, d.attempts, v.status, v.inactive_reason AS inactiveReason, v.token, v.token_kind AS tokenKind, v.keys,
    v.accepted_at IS NOT NULL AS wasAccepted, v.refused_at IS NOT NULL AS isQuarantined, v.user_id <> +:onCall AS isInformed,
    v.route = d.route AND (+:channelId IS NULL OR EXISTS (
      SELECT 1 FROM subscription s
      WHERE s.device_id = d.device_id AND s.channel_id = +:channelId AND s.number <= coalesce(+:lastSubscription, s.number)
        AND s.generation = v.generation
    )) AS isEntitled,
    EXISTS (
      SELECT 1 FROM subscription s WHERE s.device_id = d.device_id AND s.channel_id = +:channelId
        AND (s.min_level > +:level OR s.muted_until > +:wallMs)
    ) AS isMuted
  FROM delivery d LEFT JOIN device v ON v.id = d.device_id
  WHERE d.event_id = +:eventId AND d.device_id = +:deviceId`;

const FORGET = 'DELETE FROM delivery WHERE event_id = :eventId AND device_id = :deviceId';

const OVERDUE = `
  SELECT id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, urgency, expires_at AS expiresAtSteadyMs,
    cancelled_at IS NOT NULL AS isCancelled
  FROM event
  WHERE ${UNFINISHED} AND expires_at <= :steadyMs AND (expires_at, id) > (:expiresAtSteadyMs, :eventId)
    AND NOT EXISTS (SELECT 1 FROM dead_letter WHERE event_id = event.id)
  ORDER BY expires_at, id LIMIT :most`;

const RETRIES_OF = `
  SELECT device_id AS deviceId, route FROM delivery INDEXED BY delivery_waiting
  WHERE event_id = :eventId AND state = 'pending'
  ORDER BY device_id LIMIT :most`;

const ADD_DEAD_LETTER = `
  INSERT INTO dead_letter (event_id, route, lane, workspace_id, at, reason)
  VALUES (:eventId, :route, :lane, :workspaceId, :wallMs, :reason) ON CONFLICT DO NOTHING`;

const DEAD_LETTERS = `
  SELECT event_id AS eventId, route, lane, workspace_id AS workspaceId FROM dead_letter
  WHERE event_id = coalesce(?, event_id) ORDER BY event_id, route LIMIT ?`;
const FORGET_DEAD_LETTER = 'DELETE FROM dead_letter WHERE event_id = :eventId AND route = :route AND lane = :lane';

const MOVE_FAN_OUT = `
  UPDATE fan_out SET lane = :to
  WHERE route = :route AND lane = :from AND workspace_id = :workspaceId AND event_id = :eventId`;
const MOVE_RETRIES = `
  UPDATE delivery SET lane = :to WHERE (event_id, device_id) IN (
    SELECT event_id, device_id FROM delivery
    WHERE event_id = :eventId AND route = :route AND lane = :from AND state = 'pending' LIMIT :most)`;

/** Retries that a new dead letter moves. */
const MOST_MOVED = 150;
/** Rows that come back per call. */
const MOST_BACK = 250;
/** Fan-outs per read: many are small. */
const READ_TOGETHER = 20;
const ANY_TIME = Number.MAX_SAFE_INTEGER;

/** An event whose pushes are sent no more: cancelled or expired. */
export interface OverEvent extends Position {
  readonly workspaceId: number;
  readonly channelId: number | null;
  readonly urgency: Urgency;
  readonly isCancelled: 0 | 1;
}

/** The queue's primitives, and those of its ends. The whole queue is this process's. */
export interface SqliteQueueEngine extends QueueEngine {
  /** Expired events behind a place, by expiry, except dead letters. */
  overdue(after: Position, most: number, now: Moment): readonly OverEvent[];
  /** An event's retries, due or not. */
  retriesOf(eventId: number, most: number): readonly { readonly deviceId: number; readonly route: Route }[];
  /** Returns one event's dead letters, or all, to their lanes. Returns which. */
  bringBack(eventId: number | null): BroughtBack<EventKey>;
}

export function engineOver(db: Db, hooks: Pick<TransactionHooks, 'attempt' | 'onRollback'>): SqliteQueueEngine {
  const nextWorkspace = db.prepare<unknown[], { id: number | null }>(NEXT_WORKSPACE);
  const active = db.prepare<[number], 0 | 1>(IS_ACTIVE).pluck();
  const sql = sqlOver(db);
  const fanOuts = sql.all<object, FanOut>(FAN_OUTS);
  const fanOut = sql.get<object, FanOut>(ONE_FAN_OUT);
  const retries = sql.all<object, Retry>(RETRIES);
  const head = db.prepare<[number], EventHead>(HEAD);
  const page = sql.all<object, TargetRow & { number: number }>(PAGE);
  const retry = sql.get<object, RetryRow>(RETRY);
  const forget = db.prepare(FORGET);
  const overdue = db.prepare<unknown[], OverEvent>(OVERDUE);
  const retriesOf = db.prepare<unknown[], { deviceId: number; route: Route }>(RETRIES_OF);
  const addDeadLetter = db.prepare(ADD_DEAD_LETTER);
  const deadLetters = db.prepare<[number | null, number], EventKey>(DEAD_LETTERS);
  const forgetDeadLetter = db.prepare(FORGET_DEAD_LETTER);
  const moveFanOut = db.prepare(MOVE_FAN_OUT);
  const moveRetries = db.prepare(MOVE_RETRIES);

  /** Returns how many retries it moved. */
  function moveTo({ eventId, route, workspaceId }: EventKey, from: string, to: string, most: number): number {
    moveFanOut.run({ eventId, route, workspaceId, from, to });
    return moveRetries.run({ eventId, route, from, to, most }).changes;
  }

  function answer(asked: Asked, { steadyMs, wallMs }: { steadyMs: number; wallMs: number }): Answered {
    const { eventId, route } = 'fanOut' in asked ? asked.fanOut : asked.key;
    const found = head.get(eventId);
    const of = found && { ...unmutedFor(found, wallMs), eventId, route, channelId: found.channelId };
    if ('fanOut' in asked) {
      const isRead = found && !isExpired(found, steadyMs);
      return { head: found, rows: isRead ? page({ ...of, ...asked.page, most: asked.most }) : [] };
    }
    const { lastSubscription } = found ?? {};
    const rows = of ? asked.deviceIds.flatMap((deviceId) => retry({ ...of, lastSubscription, deviceId }) ?? []) : [];
    return { head: found, retries: rows };
  }

  return {
    *workspaces({ route, lane }) {
      let id = nextWorkspace.get({ route, lane, after: 0 })?.id;
      while (id != null) {
        yield id;
        id = nextWorkspace.get({ route, lane, after: id })?.id;
      }
    },

    isActive(workspaceId) {
      const isActive = active.get(workspaceId);
      return isActive === undefined ? undefined : isActive === 1;
    },

    *fanOuts({ route, lane }, workspaceId, after) {
      for (let from = after, limit = 1; ; limit = READ_TOGETHER) {
        const rows = fanOuts({ route, lane, workspaceId, after: from, limit });
        yield* rows;
        if (rows.length < limit) return;
        from = rows.at(-1)?.eventId ?? from;
      }
    },

    fanOut: ({ route, lane }, workspaceId, eventId) => fanOut({ route, lane, workspaceId, eventId }),

    retries: ({ route, lane }, workspaceId, dueBy, most) =>
      retries({ route, lane, workspaceId, dueBy: dueBy ?? ANY_TIME, most }),

    targetsOf: (asked, now) => asked.map((work) => answer(work, now)),
    targetsTogether: 200,
    partsTogether: 25,

    record: recorder(db, (eventId) => head.get(eventId)),

    forget(eventId, deviceIds) {
      for (const deviceId of deviceIds) forget.run({ eventId, deviceId });
    },

    overdue: (after, most, { steadyMs }) => overdue.all({ ...after, steadyMs, most }),
    retriesOf: (eventId, most) => retriesOf.all({ eventId, most }),

    addDeadLetter(key, reason, wallMs) {
      const { eventId, route, lane, workspaceId } = key;
      addDeadLetter.run({ eventId, route, lane, workspaceId, wallMs, reason });
      return 2 + moveTo(key, lane, DEAD_LANE, MOST_MOVED);
    },

    bringBack(eventId) {
      const keys: EventKey[] = [];
      let left = MOST_BACK;
      for (const key of deadLetters.all(eventId, MOST_BACK)) {
        const most = left;
        left -= 1 + moveTo(key, DEAD_LANE, key.lane, most);
        if (left < 0) return { keys, isMore: true };
        forgetDeadLetter.run(key);
        keys.push(key);
      }
      return { keys, isMore: deadLetters.all(eventId, 1).length > 0 };
    },

    ...hooks,
  };
}
