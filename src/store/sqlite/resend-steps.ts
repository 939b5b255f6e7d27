import { laneOf, ROUTES, type Route, type Urgency } from '../../push.ts';
import type { StoreSettings } from '../settings.ts';
import type { Sweep } from './retention/purges.ts';
import type { Db } from './transaction.ts';

type Stage = 'tried' | Route | 'done';

interface ResendRow {
  readonly eventId: number;
  readonly workspaceId: number;
  readonly channelId: number | null;
  readonly urgency: Urgency;
  readonly last: number | null;
  readonly expired: number;
  readonly stage: Stage;
  readonly cursor: number;
}
interface TriedRow {
  readonly deviceId: number;
  readonly route: Route;
  readonly state: 'failed' | 'expired';
  /** It failed or expired, and its device may still have it. */
  readonly isOwed: 0 | 1;
}
interface Step {
  readonly stage: Stage;
  readonly cursor: number;
  readonly looked: number;
  readonly failed: number;
  readonly expired: number;
}

const UNDERWAY = `
  SELECT event.id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, urgency, last_subscription AS last,
    expired, stage, cursor
  FROM resend JOIN event ON event.id = resend.event_id`;

/** A device that left the channel and came back gets nothing that was posted before, as with any other try. */
const TRIED = `
  SELECT d.device_id AS deviceId, d.route, d.state, d.state IN ('failed', 'expired') AND EXISTS (
    SELECT 1 FROM device v
    WHERE v.id = d.device_id AND v.status = 'active' AND v.route = d.route AND (:channelId IS NULL OR EXISTS (
      SELECT 1 FROM subscription s
      WHERE s.device_id = v.id AND s.channel_id = :channelId AND s.number <= coalesce(:last, s.number)
    ))
  ) AS isOwed
  FROM delivery d WHERE d.event_id = :eventId AND d.device_id > :cursor ORDER BY d.device_id LIMIT :limit`;

/** Where a fan-out is open, they are still on their way. */
const UNTRIED = `
  SELECT s.number, s.device_id AS deviceId,
    NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_id = :eventId AND d.device_id = s.device_id)
    AND NOT EXISTS (
      SELECT 1 FROM fan_out WHERE route = :stage AND lane IN (:lane, 'set_aside') AND workspace_id = :workspaceId AND event_id = :eventId
    ) AS isOwed
  FROM subscription s
  WHERE s.channel_id = :channelId AND s.route = :stage AND s.active = 1 AND s.number > :cursor AND s.number <= :last
  ORDER BY s.number LIMIT :limit`;

/** The try that failed is an earlier one from now on. */
const KEEP_TRY = `
  INSERT INTO attempt (event_id, device_id, number, at, reason)
  SELECT event_id, device_id, attempts, at, coalesce(reason, state) FROM delivery
  WHERE event_id = :eventId AND device_id = :deviceId AND state = 'failed' AND attempts > 0
  ON CONFLICT DO NOTHING`;

const REOPEN = `
  UPDATE delivery SET state = 'pending', reason = NULL, at = :wallMs, due_at = :steadyMs
  WHERE event_id = :eventId AND device_id = :deviceId`;

const OPEN = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at, due_at)
  VALUES (:eventId, :deviceId, :workspaceId, :stage, :lane, 'pending', 0, :wallMs, :steadyMs)`;

const COUNT = 'UPDATE event SET failed = failed - :failed, expired = expired - :expired WHERE id = :eventId';

const MOVE_ON = `
  UPDATE resend SET stage = :stage, cursor = :cursor, resent = resent + :failed + :expired WHERE event_id = :eventId`;

/** Brings what an event owes its devices back into the queue, as pushes to be tried again. */
export interface ResendSteps {
  /**
   * Some more of this event's: about `limit` rows are looked at. Answers how many were; fewer: that was the last step.
   */
  ofEvent(eventId: number, limit: number, now: { wallMs: number; steadyMs: number }): number;
  /** Continues any resend that its command has abandoned. */
  readonly sweep: Sweep;
}

export function resendSteps(db: Db, { routes }: Pick<StoreSettings, 'routes'>): ResendSteps {
  const ofOne = db.prepare<[number], ResendRow>(`${UNDERWAY} WHERE event_id = ? AND stage <> 'done'`);
  const first = db.prepare<[], ResendRow>(`${UNDERWAY} WHERE stage <> 'done' ORDER BY event_id LIMIT 1`);
  const tried = db.prepare<unknown[], TriedRow>(TRIED);
  const untried = db.prepare<unknown[], { number: number; deviceId: number; isOwed: 0 | 1 }>(UNTRIED);
  const keepTry = db.prepare(KEEP_TRY);
  const reopen = db.prepare(REOPEN);
  const open = db.prepare(OPEN);
  const count = db.prepare(COUNT);
  const moveOn = db.prepare(MOVE_ON);

  function stepTried(row: ResendRow, limit: number, time: { wallMs: number; steadyMs: number }): Step {
    const { eventId, channelId, last, cursor } = row;
    const rows = tried.all({ eventId, channelId, last, cursor, limit });
    const owed = rows.filter(({ isOwed, route }) => isOwed === 1 && routes.includes(route));
    for (const { deviceId } of owed) {
      keepTry.run({ eventId, deviceId });
      reopen.run({ eventId, deviceId, ...time });
    }
    const failed = owed.filter(({ state }) => state === 'failed').length;
    const place =
      rows.length < limit ? placeBehind(row) : { stage: row.stage, cursor: rows.at(-1)?.deviceId ?? cursor };
    return { ...place, looked: rows.length, failed, expired: owed.length - failed };
  }

  /** No more than expired: what nobody tried was not always meant for this device. */
  function stepUntried(row: ResendRow, limit: number, time: { wallMs: number; steadyMs: number }): Step {
    const { eventId, workspaceId, channelId, last, stage, cursor } = row;
    const its = { eventId, workspaceId, stage, lane: laneOf(row.urgency) };
    const rows = row.expired === 0 ? [] : untried.all({ ...its, channelId, last, cursor, limit });
    const owed = rows.filter(({ isOwed }) => isOwed === 1).slice(0, row.expired);
    for (const { deviceId } of owed) open.run({ ...its, deviceId, ...time });
    const place = rows.length < limit ? placeBehind(row) : { stage, cursor: rows.at(-1)?.number ?? cursor };
    return { ...place, looked: rows.length, failed: 0, expired: owed.length };
  }

  /** For test pushes, and for events from before subscriptions were numbered, only what was tried is resent. */
  function placeBehind({ stage, channelId, last }: ResendRow): { stage: Stage; cursor: number } {
    const left =
      channelId === null || last === null || stage === 'done' ? [] : ROUTES.slice(ROUTES.indexOf(stage as Route) + 1);
    return { stage: left.find((route) => routes.includes(route)) ?? 'done', cursor: 0 };
  }

  function work(next: () => ResendRow | undefined, limit: number, time: { wallMs: number; steadyMs: number }): number {
    let looked = 0;
    while (looked < limit) {
      const row = next();
      if (row === undefined) break;
      const { looked: more, ...step } = (row.stage === 'tried' ? stepTried : stepUntried)(row, limit - looked, time);
      const { eventId } = row;
      const { failed, expired } = step;
      count.run({ eventId, failed, expired });
      moveOn.run({ eventId, ...step });
      looked += more;
    }
    return looked;
  }

  return {
    ofEvent: (eventId, limit, time) => work(() => ofOne.get(eventId), limit, time),
    sweep: (wallMs, limit, steadyMs) => work(() => first.get(), limit, { wallMs, steadyMs }),
  };
}
