import { ROUTES, type Route } from '../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../timestamp.ts';
import type { Db, Handlers } from '../sqlite/transaction.ts';
import { subscriptions } from './devices/subscriptions.ts';

/** An index holds all of it. */
const SUSPECTS = `
  SELECT route, refused_reason AS reason, count(*) AS devices, count(accepted_at) AS acceptedBefore, min(refused_at) AS sinceMs
  FROM device WHERE refused_at IS NOT NULL GROUP BY route, refused_reason ORDER BY route, devices DESC`;

const PAUSED = 'SELECT route, at FROM route_pause';

const PAUSE = `
  INSERT INTO route_pause (route, at) VALUES (:route, :wallMs) ON CONFLICT DO UPDATE SET at = at RETURNING at`;

const RESUME = 'DELETE FROM route_pause WHERE route = ?';

const END_SUSPECTS = `
  UPDATE device SET status = 'inactive', inactive_reason = refused_reason, refused_at = NULL, refused_reason = NULL
  WHERE id IN (
    SELECT id FROM device WHERE refused_at IS NOT NULL AND route = :route AND refused_reason = :reason LIMIT :limit
  ) RETURNING id`;

/** How many devices one call ends, so that none holds the store for long. */
const DEVICES_PER_CALL = 200;

interface SuspectsRow {
  readonly route: Route;
  readonly reason: string;
  readonly devices: number;
  readonly acceptedBefore: number;
  readonly sinceMs: number;
}

/** What the database knows of the routes. It counts, so the store thread is never asked (`offThread`). */
export function routeStandings(db: Db): Handlers<'listRoutes'> {
  const suspects = db.prepare<[], SuspectsRow>(SUSPECTS);
  const paused = db.prepare<[], { route: Route; at: number }>(PAUSED);

  return {
    listRoutes() {
      const byRoute = Map.groupBy(suspects.all(), ({ route }) => route);
      const pausedAt = new Map(paused.all().map(({ route, at }) => [route, at]));
      return ROUTES.map((route) => ({
        route,
        paused_at: toTimestampOrNull(pausedAt.get(route) ?? null),
        suspects: (byRoute.get(route) ?? []).map(shown),
        live: null,
      }));
    },
  };
}

/** What operators decide about routes, and about the suspects on them. */
export function routes(db: Db): Handlers<'pauseRoute' | 'resumeRoute' | 'pruneDevices'> {
  const pause = db.prepare<{ route: Route; wallMs: number }, number>(PAUSE).pluck();
  const resume = db.prepare<[Route]>(RESUME);
  const endSuspects = db.prepare<{ route: Route; reason: string; limit: number }, number>(END_SUSPECTS).pluck();
  const { suspend } = subscriptions(db);

  return {
    pauseRoute: ({ route }, { wallMs }) => ({ route, paused_at: toTimestamp(pause.get({ route, wallMs }) ?? wallMs) }),

    resumeRoute: ({ route }) => ({ route, was_paused: resume.run(route).changes > 0 }),

    pruneDevices(which) {
      const ended = endSuspects.all({ ...which, limit: DEVICES_PER_CALL });
      for (const id of ended) suspend(id);
      return { pruned: ended.length, more: ended.length === DEVICES_PER_CALL };
    },
  };
}

function shown({ reason, devices, acceptedBefore, sinceMs }: SuspectsRow) {
  return { reason, devices, accepted_before: acceptedBefore, since: toTimestamp(sinceMs) };
}
