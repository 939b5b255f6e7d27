import type { Moment } from '../../../process/clock.ts';
import { laneOf, ROUTES, type Route, type Urgency } from '../../../push.ts';
import type { StoreSettings } from '../../settings.ts';
import { ifGiven, type Sql } from '../../sql.ts';

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
  readonly state: 'failed' | 'expired';
  /** 1: failed or expired, and the device may still get it. */
  readonly isOwed: 0 | 1;
}
interface UntriedRow {
  readonly number: number;
  readonly isOwed: 0 | 1;
}
interface Step {
  readonly stage: Stage;
  readonly cursor: number;
  readonly looked: number;
  readonly failed: number;
  readonly expired: number;
}
interface Stretch {
  readonly cursor: number;
  /** Its last place. */
  readonly upTo: number;
}

const UNDERWAY = `
  SELECT event.id AS "eventId", workspace_id AS "workspaceId", channel_id AS "channelId", urgency,
    last_subscription AS last, expired, stage, cursor
  FROM resend JOIN event ON event.id = resend.event_id`;

/**
 * SQL: whether a resend owes delivery `d` to its device. A device that left the channel and returned gets no earlier
 * events.
 */
const owedAgain = (routes: readonly Route[]): string => `(
  d.state IN ('failed', 'expired') AND d.route IN (${['', ...routes].map((route) => `'${route}'`).join(', ')}) AND EXISTS (
    SELECT 1 FROM device AS v
    WHERE v.id = d.device_id AND v.status = 'active' AND v.route = d.route
      AND ${ifGiven(
        'channelId',
        `EXISTS (
        SELECT 1 FROM subscription AS s
        WHERE s.device_id = v.id AND s.channel_id = :channelId
          AND s.number <= coalesce(CAST(:last AS BIGINT), s.number) AND s.generation = v.generation
      )`,
      )}
  ))`;

const OF_STRETCH = `
  d.event_id = CAST(:eventId AS BIGINT) AND d.device_id > CAST(:cursor AS BIGINT) AND d.device_id <= CAST(:upTo AS BIGINT)`;

/** SQL: whether a resend owes subscription `s` a first push. An open fan-out's pushes are still under way. */
const OWED_FIRST = `(
  NOT EXISTS (SELECT 1 FROM delivery AS d WHERE d.event_id = CAST(:eventId AS BIGINT) AND d.device_id = s.device_id)
  AND NOT EXISTS (
    SELECT 1 FROM fan_out
    WHERE route = CAST(:stage AS TEXT) AND lane IN (CAST(:lane AS TEXT), 'dead_letter')
      AND workspace_id = CAST(:workspaceId AS BIGINT) AND event_id = CAST(:eventId AS BIGINT)
  ))`;

const MEANT = `
  FROM subscription AS s
  WHERE s.channel_id = CAST(:channelId AS BIGINT) AND s.route = CAST(:stage AS TEXT) AND s.active = 1
    AND s.number > CAST(:cursor AS BIGINT)`;

const UNTRIED = `
  SELECT s.number, CASE WHEN ${OWED_FIRST} THEN 1 ELSE 0 END AS "isOwed" ${MEANT}
    AND s.number <= CAST(:last AS BIGINT)
  ORDER BY s.number LIMIT CAST(:limit AS BIGINT)`;

const OPEN = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at, due_at)
  SELECT CAST(:eventId AS BIGINT), s.device_id, CAST(:workspaceId AS BIGINT), CAST(:stage AS TEXT),
    CAST(:lane AS TEXT), 'pending', 0, CAST(:wallMs AS BIGINT), CAST(:steadyMs AS BIGINT) ${MEANT}
    AND s.number <= CAST(:upTo AS BIGINT) AND ${OWED_FIRST}`;

const COUNT = `
  UPDATE event SET failed = failed - CAST(:failed AS BIGINT), expired = expired - CAST(:expired AS BIGINT)
  WHERE id = :eventId`;

const MOVE_ON = `
  UPDATE resend
  SET stage = :stage, cursor = :cursor, resent = resent + CAST(:failed AS BIGINT) + CAST(:expired AS BIGINT)
  WHERE event_id = :eventId`;

/**
 * Requeues pushes owed by an event. Both calls examine about `limit` rows and return how many; fewer: the last step.
 */
interface ResendSteps {
  ofEvent(eventId: number, limit: number, now: Moment): Promise<number>;
  /** Continues abandoned resends. */
  sweep(limit: number, now: Moment): Promise<number>;
}

export function resendSteps(sql: Sql, { routes }: Pick<StoreSettings, 'routes'>): ResendSteps {
  const ofOne = sql.get<{ eventId: number }, ResendRow>(`${UNDERWAY} WHERE event_id = :eventId AND stage <> 'done'`);
  const first = sql.get<object, ResendRow>(`${UNDERWAY} WHERE stage <> 'done' ORDER BY event_id LIMIT 1`);
  const retry = retries(sql, routes);
  const untried = sql.all<ResendRow & { lane: string; limit: number }, UntriedRow>(UNTRIED);
  const open = sql.run<ResendRow & Stretch & Moment & { lane: string }>(OPEN);
  const count = sql.run<{ eventId: number } & Step>(COUNT);
  const moveOn = sql.run<{ eventId: number } & Step>(MOVE_ON);

  async function stepTried(row: ResendRow, limit: number, now: Moment): Promise<Step> {
    const { rows, failed, expired } = await retry(row, limit, now);
    const last = rows.at(-1)?.deviceId ?? row.cursor;
    const place = rows.length < limit ? placeBehind(row) : { stage: row.stage, cursor: last };
    return { ...place, looked: rows.length, failed, expired };
  }

  /** No more than expired, because pushes that were never tried were not always meant for this device. */
  async function stepUntried(row: ResendRow, limit: number, now: Moment): Promise<Step> {
    const { stage, cursor } = row;
    const rowOfLane = { ...row, lane: laneOf(row.urgency) };
    const rows = row.expired === 0 ? [] : await untried({ ...rowOfLane, limit });
    const owed = rows.filter(({ isOwed }) => isOwed === 1).slice(0, row.expired);
    const lastOwed = owed.at(-1);
    const expired = lastOwed === undefined ? 0 : await open({ ...rowOfLane, ...now, upTo: lastOwed.number });
    const place = rows.length < limit ? placeBehind(row) : { stage, cursor: rows.at(-1)?.number ?? cursor };
    return { ...place, looked: rows.length, failed: 0, expired };
  }

  /**
   * Returns the next stage's place. Test pushes, and events before numbered subscriptions, only resend tried pushes.
   */
  function placeBehind({ stage, channelId, last }: ResendRow): { stage: Stage; cursor: number } {
    const left =
      channelId === null || last === null || stage === 'done' ? [] : ROUTES.slice(ROUTES.indexOf(stage as Route) + 1);
    return { stage: left.find((route) => routes.includes(route)) ?? 'done', cursor: 0 };
  }

  async function work(next: () => Promise<ResendRow | undefined>, limit: number, now: Moment): Promise<number> {
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

/**
 * Requeues failed and expired pushes among the next deliveries. Returns all it examined, and how many it changed: a
 * push may be settled in between.
 */
function retries(sql: Sql, routes: readonly Route[]) {
  const owedOf = owedAgain(routes);
  const tried = sql.all<ResendRow & { limit: number }, TriedRow>(`
    SELECT d.device_id AS "deviceId", d.state, CASE WHEN ${owedOf} THEN 1 ELSE 0 END AS "isOwed" FROM delivery AS d
    WHERE d.event_id = CAST(:eventId AS BIGINT) AND d.device_id > CAST(:cursor AS BIGINT)
    ORDER BY d.device_id LIMIT CAST(:limit AS BIGINT)
  `);
  /** Keeps the failed attempt as an earlier one. */
  const keepTries = sql.run<ResendRow & Stretch>(`
    INSERT INTO attempt (event_id, device_id, number, at, reason)
    SELECT event_id, device_id, attempts, at, coalesce(reason, state) FROM delivery AS d
    WHERE ${OF_STRETCH} AND d.state = 'failed' AND d.attempts > 0 AND ${owedOf}
    ON CONFLICT (event_id, device_id, number) DO NOTHING
  `);
  const reopen = (state: TriedRow['state']) =>
    sql.run<ResendRow & Stretch & Moment>(`
      UPDATE delivery AS d SET state = 'pending', reason = NULL, at = :wallMs, due_at = :steadyMs
      WHERE ${OF_STRETCH} AND d.state = '${state}' AND ${owedOf}
    `);
  const reopenFailed = reopen('failed');
  const reopenExpired = reopen('expired');

  return async (row: ResendRow, limit: number, now: Moment) => {
    const rows = await tried({ ...row, limit });
    const upTo = rows.findLast(({ isOwed }) => isOwed === 1)?.deviceId;
    if (upTo === undefined) return { rows, failed: 0, expired: 0 };
    await keepTries({ ...row, upTo });
    const failed = await reopenFailed({ ...row, ...now, upTo });
    return { rows, failed, expired: await reopenExpired({ ...row, ...now, upTo }) };
  };
}
