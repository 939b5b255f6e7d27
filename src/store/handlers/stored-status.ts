import { HEARTBEAT_STATES, type HeartbeatState } from '../../contract/heartbeats.ts';
import { publicIdOf } from '../../contract/public-id.ts';
import { LEAST_REPEAT_OF_NOTIFICATIONS_S } from '../../contract/ringing.ts';
import type { Moment } from '../../process/clock.ts';
import { LANES, type Lane, ROUTES, type Route } from '../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../values/timestamp.ts';
import { IS_OF_A_WORKSPACE, type Sql } from '../sql.ts';
import type { NewestDeadLetter, StoredHeartbeats, StoredStatus } from '../stored-status.ts';
import type { SomeHandlers } from './handler.ts';
import { HEARTBEATS, SHOWN_STATE } from './heartbeats/rows.ts';
import { unreachableOnCall } from './on-call/unreachable.ts';
import { ageHold } from './retention/age-mark.ts';
import { routeStates } from './routes.ts';
import { storedWebhooks } from './webhooks/rows.ts';

const WAITING = `
  SELECT lane, sum(fan_out.targeted - fan_out.recorded) AS count FROM fan_out WHERE ${IS_OF_A_WORKSPACE} GROUP BY lane`;
const DEFERRED = `
  SELECT lane, count(*) AS count FROM delivery WHERE state = 'pending' AND ${IS_OF_A_WORKSPACE} GROUP BY lane`;

/** Events with waiting first pushes or retries. Ids grow with acceptance. */
const OLDEST = `
  SELECT oldest.lane, event.received_at AS "atMs"
  FROM (
    SELECT lane, min(event_id) AS event_id FROM (
      SELECT lane, event_id FROM fan_out WHERE ${IS_OF_A_WORKSPACE}
      UNION ALL SELECT lane, event_id FROM delivery WHERE state = 'pending' AND ${IS_OF_A_WORKSPACE}
    ) AS waiting GROUP BY lane
  ) AS oldest JOIN event ON event.id = oldest.event_id`;
const LAST_ACCEPTED = `SELECT route, max(hour) AS hour FROM tally WHERE measure = 'accepted' GROUP BY route`;
const LAST_BACKUPS = `SELECT at, object FROM audit WHERE action = 'backup.make' ORDER BY id DESC LIMIT 30`;

const SET_ASIDE = `
  SELECT event.uuid, dead_letter.route, dead_letter.reason,
    (SELECT count(DISTINCT event_id) FROM dead_letter WHERE ${IS_OF_A_WORKSPACE}) AS count
  FROM dead_letter JOIN event ON event.id = dead_letter.event_id WHERE dead_letter.${IS_OF_A_WORKSPACE}
  ORDER BY dead_letter.at DESC LIMIT 1`;

const INSIST_OFTEN = `
  SELECT workspace.slug || '/' || channel.slug AS name FROM channel JOIN workspace ON workspace.id = channel.workspace_id
  WHERE insist_repeat IS NOT NULL AND insist_repeat < ${LEAST_REPEAT_OF_NOTIFICATIONS_S} AND channel.status = 'active'
    AND EXISTS (SELECT 1 FROM audience WHERE channel_id = channel.id AND route = 'fcm' AND devices > 0)
  ORDER BY name LIMIT 5`;

const NOT_SHOWING = `
  FROM reporter JOIN device ON device.id = reporter.device_id WHERE silent_at IS NOT NULL AND device.status = 'active'`;

const COUNTS = `
  SELECT ${SHOWN_STATE} AS state, count(*) AS count FROM ${HEARTBEATS} GROUP BY 1`;
const DOWN = `
  SELECT workspace.slug || '/' || heartbeat.slug
  FROM ${HEARTBEATS}
  WHERE state = 'down' ORDER BY down_since LIMIT 5`;

const ON = `
  FROM maintenance JOIN channel ON channel.id = channel_id JOIN workspace ON workspace.id = maintenance.workspace_id
  WHERE from_at <= CAST(:wallMs AS BIGINT) AND until_at > CAST(:wallMs AS BIGINT)`;
const FIRST_TO_END = `
  SELECT workspace.slug || '/' || channel.slug AS place, until_at AS "untilMs", only_key AS only ${ON}
  ORDER BY until_at LIMIT 5`;

const SKIPPED = 'SELECT skipped_ms FROM queue_clock WHERE id = 1';

export function storedStates(sql: Sql) {
  return { readStatus: (_, now) => storedStatus(sql, now) } satisfies SomeHandlers;
}

/** Reads the status of a store that no server of this process has open. */
export async function offlineStatus(sql: Sql): Promise<StoredStatus> {
  const wallMs = Date.now();
  const skippedMs = (await sql.value<object, number>(SKIPPED)({})) ?? 0;
  return storedStatus(sql, { wallMs, steadyMs: wallMs - skippedMs });
}

/** Reads the status, of one moment within a transaction. `now`: the database's clocks. */
export async function storedStatus(sql: Sql, { wallMs, steadyMs }: Moment): Promise<StoredStatus> {
  const entries = await sql.all<object, { at: number; object: string }>(LAST_BACKUPS)({});
  const [lastBackup = null, ...earlierBackups] = entries.map(({ at, object: file }) => ({ at: toTimestamp(at), file }));
  return {
    queue: await queueOf(sql),
    acceptedHours: await acceptedHours(sql),
    lastBackup,
    earlierBackups,
    routes: await routeStates(sql).listRoutes(),
    deadLetter: await newestDeadLetter(sql),
    heartbeats: await storedHeartbeats(sql, steadyMs),
    maintenance: await inMaintenance(sql, wallMs),
    webhooks: await storedWebhooks(sql),
    notShowing: {
      count: (await sql.value<object, number>(`SELECT count(*) ${NOT_SHOWING}`)({})) ?? 0,
      first: await sql.values<object, string>(`SELECT public_id ${NOT_SHOWING} ORDER BY device_id LIMIT 5`)({}),
    },
    unreachable: await unreachableOnCall(sql)(null, wallMs),
    insistOften: await sql.values<object, string>(INSIST_OFTEN)({}),
    ageHold: await ageHold(sql)(wallMs),
  };
}

async function inMaintenance(sql: Sql, wallMs: number): Promise<StoredStatus['maintenance']> {
  type Row = { place: string; untilMs: number; only: string | null };
  const on = (await sql.value<{ wallMs: number }, number>(`SELECT count(*) ${ON}`)({ wallMs })) ?? 0;
  const first = await sql.all<{ wallMs: number }, Row>(FIRST_TO_END)({ wallMs });
  return { on, first: first.map(({ untilMs, ...window }) => ({ ...window, until: toTimestamp(untilMs) })) };
}

/** Null: no dead letters. */
async function newestDeadLetter(sql: Sql): Promise<NewestDeadLetter | null> {
  const newest = await sql.get<object, Omit<NewestDeadLetter, 'publicId'> & { uuid: Uint8Array }>(SET_ASIDE)({});
  if (newest === undefined) return null;
  const { uuid, ...rest } = newest;
  return { publicId: publicIdOf(uuid), ...rest };
}

async function queueOf(sql: Sql): Promise<StoredStatus['queue']> {
  const waiting = await byLane(sql, WAITING);
  const deferred = await byLane(sql, DEFERRED);
  const oldest = await sql.all<object, { lane: Lane; atMs: number }>(OLDEST)({});
  return LANES.map((lane) => ({
    lane,
    waiting: waiting.get(lane) ?? 0,
    deferred: deferred.get(lane) ?? 0,
    oldest_at: toTimestampOrNull(oldest.find((row) => row.lane === lane)?.atMs ?? null),
  }));
}

async function byLane(sql: Sql, text: string): Promise<ReadonlyMap<Lane, number>> {
  const rows = await sql.all<object, { lane: Lane; count: number }>(text)({});
  return new Map(rows.map(({ lane, count }) => [lane, count]));
}

async function acceptedHours(sql: Sql): Promise<StoredStatus['acceptedHours']> {
  const rows = await sql.all<object, { route: Route; hour: number }>(LAST_ACCEPTED)({});
  const known = rows.filter(({ route }) => ROUTES.includes(route));
  return Object.fromEntries(known.map(({ route, hour }) => [route, toTimestamp(hour)]));
}

/** `steadyMs`: the queue's time. */
async function storedHeartbeats(sql: Sql, steadyMs: number): Promise<StoredHeartbeats> {
  const rows = await sql.all<{ steadyMs: number }, { state: HeartbeatState; count: number }>(COUNTS)({ steadyMs });
  const counts = Object.fromEntries(
    HEARTBEAT_STATES.map((state) => [state, rows.find((row) => row.state === state)?.count ?? 0]),
  ) as StoredHeartbeats['counts'];
  return { counts, down: counts.down === 0 ? [] : await sql.values<object, string>(DOWN)({}) };
}
