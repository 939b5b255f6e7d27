import { LANES } from '../../../push.ts';
import type { QueueDepth, Stats } from '../../calls.ts';
import type { EngineDeps } from '../../handlers/handler.ts';
import type { Claims } from '../../queue/claims.ts';
import { depthOf } from '../../queue/depth.ts';
import type { QueueEngine } from '../../queue/engine.ts';
import { nextRetry } from '../../queue/planning.ts';
import { everyLane } from '../../queue/turns.ts';
import { IS_OF_A_WORKSPACE, ROUTES_IN_SQL, type Sql } from '../../sql.ts';
import type { Db, SyncHandlers } from '../transaction.ts';

const DEPTH = `
  SELECT route, lane, sum(targeted - recorded) AS waiting, 0 AS deferred FROM fan_out
  WHERE ${IS_OF_A_WORKSPACE} GROUP BY route, lane
  UNION ALL
  SELECT route, lane, 0, count(*) FROM delivery WHERE state = 'pending' AND ${IS_OF_A_WORKSPACE} GROUP BY route, lane`;

const LANES_IN_SQL = LANES.map((lane) => `'${lane}'`).join(', ');

/** Selects fan-outs' subscriptions without a delivery, and deliveries to retry. */
const waitingWhere = (condition: string): string => `
  SELECT route, sum(pushes) AS pushes FROM (
    SELECT route, targeted - recorded AS pushes FROM fan_out
    WHERE route IN (${ROUTES_IN_SQL}) AND lane IN (${LANES_IN_SQL}) AND ${condition}
    UNION ALL
    SELECT route, 1 AS pushes FROM delivery
    WHERE state = 'pending' AND route IN (${ROUTES_IN_SQL}) AND lane IN (${LANES_IN_SQL}) AND ${condition}
  ) AS waiting GROUP BY route HAVING sum(pushes) > 0 ORDER BY route`;

/** Returns the queue's length. Examines all that waits: never on the store thread (`offThread`). */
export function queueDepth(db: Db): SyncHandlers<'queueDepth'> {
  const counts = db.prepare<[], QueueDepth>(DEPTH);
  return { queueDepth: () => depthOf(counts.all()) };
}

/** Returns how many pushes wait per route, examining all. */
export function waitingByRoute(sql: Sql): EngineDeps['waitingByRoute'] {
  const countAll = sql.all<object, Stats['waiting'][number]>(waitingWhere(IS_OF_A_WORKSPACE));
  const countOfWorkspace = sql.all<{ workspaceId: number }, Stats['waiting'][number]>(
    waitingWhere('workspace_id = :workspaceId'),
  );
  return ({ workspaceId }) => (workspaceId === null ? countAll({}) : countOfWorkspace({ workspaceId }));
}

/**
 * Returns how long lanes have had unsent work: since the oldest fresh event's acceptance, or the first retry's due
 * time. Suspended workspaces and quarantined devices wait on purpose, uncounted. One seek per workspace, however long
 * the queue.
 */
export function queueAge(db: Db, engine: QueueEngine, claims: Claims): SyncHandlers<'queueAge'>['queueAge'] {
  const receivedAt = db.prepare<[number], number>('SELECT received_at FROM event WHERE id = ?').pluck();

  return (_, { wallMs, steadyMs }) =>
    everyLane()
      .filter(({ lane }) => lane !== 'quarantine')
      .flatMap((lane) => {
        const ages: number[] = [];
        for (const workspaceId of engine.workspaces(lane)) {
          if (engine.isActive(workspaceId) !== true) continue;
          const [first] = engine.fanOuts(lane, workspaceId, 0);
          const receivedAtMs = first && receivedAt.get(first.eventId);
          const due = nextRetry(engine, claims, lane, workspaceId, steadyMs);
          if (receivedAtMs !== undefined) ages.push(wallMs - receivedAtMs);
          if (due) ages.push(steadyMs - due.dueAt);
        }
        return ages.length === 0 ? [] : [{ ...lane, ageMs: Math.max(...ages) }];
      });
}
