import { LANES, type Lane, ROUTES, type Route } from '../../../push.ts';
import type { QueueDepth, Stats } from '../../calls.ts';
import type { EngineDeps } from '../../handlers/handler.ts';
import { ROUTES_IN_SQL, type Sql } from '../../sql.ts';
import type { Db, SyncHandlers } from '../transaction.ts';
import type { QueueDeps } from './deps.ts';
import { everyLane } from './round-robin.ts';

const WAITING = `SELECT route, lane, sum(targeted - recorded) AS count FROM fan_out GROUP BY route, lane`;
const DEFERRED = `SELECT route, lane, count(*) AS count FROM delivery WHERE state = 'pending' GROUP BY route, lane`;

const LANES_IN_SQL = LANES.map((lane) => `'${lane}'`).join(', ');

/** Selects the subscriptions of fan-outs without a delivery, and deliveries to be retried. */
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
export function queueDepth(db: Db): SyncHandlers<'queueDepth'> {
  const waiting = db.prepare<[], LaneCount>(WAITING);
  const deferred = db.prepare<[], LaneCount>(DEFERRED);

  return {
    queueDepth() {
      const [fresh, retried] = [waiting.all(), deferred.all()];
      return ROUTES.flatMap((route) =>
        LANES.map((lane): QueueDepth => {
          const of = (counts: readonly LaneCount[]) =>
            counts.find((row) => row.route === route && row.lane === lane)?.count ?? 0;
          return { route, lane, waiting: of(fresh), deferred: of(retried) };
        }),
      );
    },
  };
}

/** How many pushes wait on each route. It goes through all of them as well. */
export function waitingByRoute(sql: Sql): EngineDeps['waitingByRoute'] {
  const countAll = sql.all<object, Stats['waiting'][number]>(waitingWhere('1 = 1'));
  const countOfWorkspace = sql.all<{ workspaceId: number }, Stats['waiting'][number]>(
    waitingWhere('workspace_id = :workspaceId'),
  );
  return ({ workspaceId }) => (workspaceId === null ? countAll({}) : countOfWorkspace({ workspaceId }));
}

/**
 * Returns how long each lane has had something to send and did not: since the acceptance of its oldest fresh event, or
 * since its first retry was due. Suspended workspaces wait on purpose and do not count, nor do held pushes of
 * quarantined devices. Takes one seek a workspace, however long the queue.
 */
export function queueAge({ roundRobin, fresh, deferred, headOf }: QueueDeps): SyncHandlers<'queueAge'>['queueAge'] {
  return (_, { wallMs, steadyMs }) =>
    everyLane()
      .filter(({ lane }) => lane !== 'quarantine')
      .flatMap(({ route, lane }) => {
        let ageMs: number | null = null;
        for (const workspaceId of roundRobin.activeWorkspaces({ route, lane })) {
          const [first] = fresh.behind({ route, lane }, workspaceId, 0);
          const head = first && headOf(first.eventId);
          const dueMs = deferred.nextDue({ route, lane }, workspaceId);
          if (head) ageMs = Math.max(ageMs ?? 0, wallMs - head.receivedAtMs);
          if (dueMs !== undefined && dueMs <= steadyMs) ageMs = Math.max(ageMs ?? 0, steadyMs - dueMs);
        }
        return ageMs === null ? [] : [{ route, lane, ageMs }];
      });
}
