import { ROUTES, type Route } from '../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../values/timestamp.ts';
import type { OperatorPause } from '../calls.ts';
import type { Sql } from '../sql.ts';
import type { SomeHandlers } from './handler.ts';

/** Reads only a covering index. */
const QUARANTINED = `
  SELECT route, refused_reason AS reason, count(*) AS devices, count(accepted_at) AS "acceptedBefore", min(refused_at) AS "sinceMs"
  FROM device WHERE refused_at IS NOT NULL GROUP BY route, refused_reason ORDER BY route, devices DESC`;

const PAUSED = 'SELECT route, at AS "sinceMs" FROM route_pause';

const PAUSE = `
  INSERT INTO route_pause (route, at) VALUES (:route, :wallMs) ON CONFLICT (route) DO UPDATE SET at = route_pause.at RETURNING at`;

const RESUME = 'DELETE FROM route_pause WHERE route = :route';

const END_QUARANTINED = `
  UPDATE device SET status = 'inactive', inactive_reason = refused_reason, inactive_at = CAST(:wallMs AS BIGINT), refused_at = NULL, refused_reason = NULL
  WHERE id = (SELECT id FROM device WHERE refused_at IS NOT NULL AND route = :route AND refused_reason = :reason LIMIT 1)
  RETURNING (SELECT count(*) FROM subscription WHERE device_id = device.id)`;

/** Rows changed per call, roughly. */
const STEP_ROWS = 200;
/** The device, its job, and subscriptions at once, whose channels lose a subscriber. */
const rowsOfDevice = (subscriptions: number) => 2 + 2 * Math.min(subscriptions, 8);

interface QuarantinedRow {
  readonly route: Route;
  readonly reason: string;
  readonly devices: number;
  readonly acceptedBefore: number;
  readonly sinceMs: number;
}

/** Reads the routes' state. Counts rows: never on the store thread (`offThread`). */
export function routeStates(sql: Sql) {
  const quarantined = sql.all<object, QuarantinedRow>(QUARANTINED);
  const paused = sql.all<object, OperatorPause>(PAUSED);

  return {
    async listRoutes() {
      const byRoute = Map.groupBy(await quarantined({}), ({ route }) => route);
      const pausedAt = new Map((await paused({})).map(({ route, sinceMs }) => [route, sinceMs]));
      return ROUTES.map((route) => ({
        route,
        paused_at: toTimestampOrNull(pausedAt.get(route) ?? null),
        quarantined: (byRoute.get(route) ?? []).map(showQuarantined),
        live: null,
      }));
    },
  } satisfies SomeHandlers;
}

export function routes(sql: Sql) {
  const paused = sql.all<object, OperatorPause>(PAUSED);
  const pause = sql.value<{ route: Route; wallMs: number }, number>(PAUSE);
  const resume = sql.run<{ route: Route }>(RESUME);
  const endOne = sql.value<{ route: Route; reason: string; wallMs: number }, number>(END_QUARANTINED);

  return {
    listPauses: async () => paused({}),

    pauseRoute: async ({ route }, { wallMs }) => ({
      route,
      paused_at: toTimestamp((await pause({ route, wallMs })) ?? wallMs),
    }),

    resumeRoute: async ({ route }) => ({ route, was_paused: (await resume({ route })) > 0 }),

    async pruneDevices(which, { wallMs }) {
      let pruned = 0;
      for (let rows = 0; rows < STEP_ROWS; pruned += 1) {
        const subscriptions = await endOne({ ...which, wallMs });
        if (subscriptions === undefined) return { pruned, more: false };
        rows += rowsOfDevice(subscriptions);
      }
      return { pruned, more: true };
    },
  } satisfies SomeHandlers;
}

function showQuarantined({ reason, devices, acceptedBefore, sinceMs }: QuarantinedRow) {
  return { reason, devices, accepted_before: acceptedBefore, since: toTimestamp(sinceMs) };
}
