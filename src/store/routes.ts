import { ROUTES, type Route } from '../push.ts';
import { toTimestamp } from '../timestamp.ts';
import type { Db, Handlers } from './handlers.ts';

/** An index holds all of it. */
const SUSPECTS = `
  SELECT route, refused_reason AS reason, count(*) AS devices, count(accepted_at) AS acceptedBefore, min(refused_at) AS sinceMs
  FROM device WHERE refused_at IS NOT NULL GROUP BY route, refused_reason ORDER BY route, devices DESC`;

interface SuspectsRow {
  readonly route: Route;
  readonly reason: string;
  readonly devices: number;
  readonly acceptedBefore: number;
  readonly sinceMs: number;
}

/** What the database knows of the routes. It counts, so the store thread is never asked (`isLong`). */
export function routeStandings(db: Db): Handlers<'listRoutes'> {
  const suspects = db.prepare<[], SuspectsRow>(SUSPECTS);

  return {
    listRoutes() {
      const byRoute = Map.groupBy(suspects.all(), ({ route }) => route);
      return ROUTES.map((route) => ({ route, suspects: (byRoute.get(route) ?? []).map(shown) }));
    },
  };
}

function shown({ reason, devices, acceptedBefore, sinceMs }: SuspectsRow) {
  return { reason, devices, accepted_before: acceptedBefore, since: toTimestamp(sinceMs) };
}
