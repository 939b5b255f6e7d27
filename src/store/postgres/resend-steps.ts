import type { Moment } from '../../clock.ts';
import { laneOf, ROUTES, type Route, type Urgency } from '../../push.ts';
import type { StoreSettings } from '../settings.ts';
import type { Sql } from '../sql.ts';

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
  readonly isOwed: boolean;
}
interface Step {
  readonly stage: Stage;
  readonly cursor: number;
  readonly looked: number;
  readonly failed: number;
  readonly expired: number;
}
type DeviceIds = { readonly deviceIds: readonly number[] };

const UNDERWAY = `
  SELECT event.id AS "eventId", workspace_id AS "workspaceId", channel_id AS "channelId", urgency,
    last_subscription AS last, expired, stage, cursor
  FROM resend JOIN event ON event.id = resend.event_id`;

/** A device that left the channel and came back gets nothing that was posted before, as with any other try. */
const TRIED = `
  SELECT d.device_id AS "deviceId", d.route, d.state, d.state IN ('failed', 'expired') AND EXISTS (
    SELECT 1 FROM device v
    WHERE v.id = d.device_id AND v.status = 'active' AND v.route = d.route
      AND (CAST(:channelId AS BIGINT) IS NULL OR EXISTS (
        SELECT 1 FROM subscription s
        WHERE s.device_id = v.id AND s.channel_id = :channelId AND s.number <= coalesce(CAST(:last AS BIGINT), s.number)
      ))
  ) AS "isOwed"
  FROM delivery d WHERE d.event_id = :eventId AND d.device_id > :cursor ORDER BY d.device_id LIMIT :limit`;

/** Where a fan-out is open, they are still on their way. */
const UNTRIED = `
  SELECT s.number, s.device_id AS "deviceId",
    NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_id = :eventId AND d.device_id = s.device_id)
    AND NOT EXISTS (
      SELECT 1 FROM fan_out
      WHERE route = :stage AND lane IN (:lane, 'set_aside') AND workspace_id = :workspaceId AND event_id = :eventId
    ) AS "isOwed"
  FROM subscription s
  WHERE s.channel_id = :channelId AND s.route = :stage AND s.active = 1 AND s.number > :cursor AND s.number <= :last
  ORDER BY s.number LIMIT :limit`;

/** The tries that failed are earlier ones from now on. */
const KEEP_TRIES = `
  INSERT INTO attempt (event_id, device_id, number, at, reason)
  SELECT event_id, device_id, attempts, at, coalesce(reason, state) FROM delivery
  WHERE event_id = :eventId AND device_id = ANY (CAST(:deviceIds AS BIGINT[])) AND state = 'failed' AND attempts > 0
  ON CONFLICT (event_id, device_id, number) DO NOTHING`;

const REOPEN = `
  UPDATE delivery SET state = 'pending', reason = NULL, at = :wallMs, due_at = :steadyMs, claim_id = NULL, home = NULL
  WHERE event_id = :eventId AND device_id = ANY (CAST(:deviceIds AS BIGINT[]))`;

const OPEN = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at, due_at)
  SELECT CAST(:eventId AS BIGINT), device_id, CAST(:workspaceId AS BIGINT), CAST(:stage AS TEXT), CAST(:lane AS TEXT),
    'pending', 0, CAST(:wallMs AS BIGINT), CAST(:steadyMs AS BIGINT)
  FROM unnest(CAST(:deviceIds AS BIGINT[])) AS device_id`;

const COUNT = `
  UPDATE event SET failed = failed - CAST(:failed AS BIGINT), expired = expired - CAST(:expired AS BIGINT)
  WHERE id = :eventId`;

const MOVE_ON = `
  UPDATE resend
  SET stage = :stage, cursor = :cursor, resent = resent + CAST(:failed AS BIGINT) + CAST(:expired AS BIGINT)
  WHERE event_id = :eventId`;

/**
 * Brings what an event owes its devices back into the queue, as pushes to be tried again. Both look at about `limit`
 * rows, and answer how many they were; fewer: that was the last step.
 */
export interface ResendSteps {
  ofEvent(eventId: number, limit: number, now: Moment): Promise<number>;
  /** Continues any resend that its command has abandoned. */
  sweep(limit: number, now: Moment): Promise<number>;
}

export function resendSteps(sql: Sql, { routes }: Pick<StoreSettings, 'routes'>): ResendSteps {
  const ofOne = sql.get<{ eventId: number }, ResendRow>(`${UNDERWAY} WHERE event_id = :eventId AND stage <> 'done'`);
  const first = sql.get<object, ResendRow>(`${UNDERWAY} WHERE stage <> 'done' ORDER BY event_id LIMIT 1`);
  const tried = sql.all<ResendRow & { limit: number }, TriedRow>(TRIED);
  const untried = sql.all<object, { number: number; deviceId: number; isOwed: boolean }>(UNTRIED);
  const keepTries = sql.run<{ eventId: number } & DeviceIds>(KEEP_TRIES);
  const reopen = sql.run<{ eventId: number } & DeviceIds & Moment>(REOPEN);
  const open = sql.run<object>(OPEN);
  const count = sql.run<{ eventId: number } & Step>(COUNT);
  const moveOn = sql.run<{ eventId: number } & Step>(MOVE_ON);

  async function stepTried(row: ResendRow, limit: number, now: Moment): Promise<Step> {
    const { eventId, cursor } = row;
    const rows = await tried({ ...row, limit });
    const owed = rows.filter(({ isOwed, route }) => isOwed && routes.includes(route));
    const deviceIds = owed.map(({ deviceId }) => deviceId);
    if (owed.length > 0) {
      await keepTries({ eventId, deviceIds });
      await reopen({ eventId, deviceIds, ...now });
    }
    const failed = owed.filter(({ state }) => state === 'failed').length;
    const place =
      rows.length < limit ? placeBehind(row) : { stage: row.stage, cursor: rows.at(-1)?.deviceId ?? cursor };
    return { ...place, looked: rows.length, failed, expired: owed.length - failed };
  }

  /** No more than expired: what nobody tried was not always meant for this device. */
  async function stepUntried(row: ResendRow, limit: number, now: Moment): Promise<Step> {
    const { stage, cursor } = row;
    const its = { ...row, lane: laneOf(row.urgency) };
    const rows = row.expired === 0 ? [] : await untried({ ...its, limit });
    const owed = rows.filter(({ isOwed }) => isOwed).slice(0, row.expired);
    if (owed.length > 0) await open({ ...its, deviceIds: owed.map(({ deviceId }) => deviceId), ...now });
    const place = rows.length < limit ? placeBehind(row) : { stage, cursor: rows.at(-1)?.number ?? cursor };
    return { ...place, looked: rows.length, failed: 0, expired: owed.length };
  }

  /** For test pushes only what was tried is resent. */
  function placeBehind({ stage, channelId, last }: ResendRow): { stage: Stage; cursor: number } {
    const left =
      channelId === null || last === null || stage === 'done' ? [] : ROUTES.slice(ROUTES.indexOf(stage as Route) + 1);
    return { stage: left.find((route) => routes.includes(route)) ?? 'done', cursor: 0 };
  }

  async function work(next: () => PromiseLike<ResendRow | undefined>, limit: number, now: Moment): Promise<number> {
    let looked = 0;
    while (looked < limit) {
      const row = await next();
      if (row === undefined) break;
      const step = await (row.stage === 'tried' ? stepTried : stepUntried)(row, limit - looked, now);
      const { eventId } = row;
      await count({ eventId, ...step });
      await moveOn({ eventId, ...step });
      looked += step.looked;
    }
    return looked;
  }

  return {
    ofEvent: (eventId, limit, now) => work(async () => ofOne({ eventId }), limit, now),
    sweep: (limit, now) => work(async () => first({}), limit, now),
  };
}
