import { LANES, type Lane, ROUTES, type Route } from '../../../push.ts';
import type { Stats } from '../../calls/stats.ts';
import type { QueueDepth } from '../../calls.ts';
import { ROUTES_IN_SQL } from '../../routes-in-sql.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps } from '../../verbs/verb.ts';
import type { Db, Handlers } from '../transaction.ts';

const WAITING = `SELECT route, lane, sum(targeted - recorded) AS count FROM fan_out GROUP BY route, lane`;
const DEFERRED = `SELECT route, lane, count(*) AS count FROM delivery WHERE state = 'pending' GROUP BY route, lane`;

const LANES_IN_SQL = LANES.map((lane) => `'${lane}'`).join(', ');

/** What of a fan-out has no delivery yet, and deliveries that are to be tried again. */
const waitingWhere = (condition: string): string => `
  SELECT route, sum(pushes) AS pushes FROM (
    SELECT route, targeted - recorded AS pushes FROM fan_out
    WHERE route IN (${ROUTES_IN_SQL}) AND lane IN (${LANES_IN_SQL}) AND ${condition}
    UNION ALL
    SELECT route, 1 AS pushes FROM delivery
    WHERE state = 'pending' AND route IN (${ROUTES_IN_SQL}) AND lane IN (${LANES_IN_SQL}) AND ${condition}
  ) AS waiting GROUP BY route HAVING sum(pushes) > 0 ORDER BY route`;

interface LaneCount {
  readonly route: Route;
  readonly lane: Lane;
  readonly count: number;
}

/** How long the queue is. It goes through all that waits, so the store thread is never asked (`offThread`). */
export function queueDepth(db: Db): Handlers<'queueDepth'> {
  const waiting = db.prepare<[], LaneCount>(WAITING);
  const deferred = db.prepare<[], LaneCount>(DEFERRED);

  return {
    queueDepth() {
      const [fresh, retried] = [waiting.all(), deferred.all()];
      return ROUTES.flatMap((route) =>
        LANES.map((lane): QueueDepth => {
          const of = (counts: readonly LaneCount[]) =>
            counts.find((one) => one.route === route && one.lane === lane)?.count ?? 0;
          return { route, lane, waiting: of(fresh), deferred: of(retried) };
        }),
      );
    },
  };
}

/** How many pushes wait on each route. It goes through all of them as well. */
export function waitingByRoute(sql: Sql): EngineDeps['waitingByRoute'] {
  const all = sql.all<object, Stats['waiting'][number]>(waitingWhere('1 = 1'));
  const ofOne = sql.all<{ workspaceId: number }, Stats['waiting'][number]>(waitingWhere('workspace_id = :workspaceId'));
  return ({ workspaceId }) => (workspaceId === null ? all({}) : ofOne({ workspaceId }));
}
