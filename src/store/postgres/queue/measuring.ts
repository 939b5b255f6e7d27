import { LANES, ROUTES } from '../../../push.ts';
import type { QueueAge, QueueDepth, Stats } from '../../calls.ts';
import type { CallHandlers, EngineDeps } from '../../handlers/handler.ts';
import { depthOf } from '../../queue/depth.ts';
import { IS_OF_A_WORKSPACE, ifGiven, ROUTES_IN_SQL } from '../../sql.ts';
import type { Connection } from '../connections.ts';

/** Reads the triggers' counts (functions/queue-counts.sql): the cost does not grow with the queue. */
const DEPTH = `
  SELECT route, lane, sum(waiting) AS waiting, sum(deferred) AS deferred FROM queue_change
  WHERE ${IS_OF_A_WORKSPACE} GROUP BY route, lane`;

const BY_ROUTE = `
  SELECT route, sum(waiting + deferred) AS pushes FROM queue_change
  WHERE route IN (${ROUTES_IN_SQL}) AND lane <> 'dead_letter' AND ${IS_OF_A_WORKSPACE}
    AND ${ifGiven('workspaceId', 'workspace_id = :workspaceId')}
  GROUP BY route HAVING sum(waiting + deferred) > 0 ORDER BY route`;

/** Measures lanes' first event and first due retry, without suspended workspaces, waiting on purpose. */
const AGE = `
  WITH owned AS MATERIALIZED (SELECT * FROM first_owned())
  SELECT route, lane, max(age) AS "ageMs" FROM (
    SELECT counted.route, counted.lane, CAST(:wallMs AS BIGINT) - event.received_at AS age
    FROM (SELECT DISTINCT route, lane FROM queue_change WHERE lane IN ('urgent', 'standard')) AS counted
    CROSS JOIN LATERAL (
      SELECT workspace_id, event_id FROM first_in_lane(counted.route, counted.lane)
      UNION ALL
      SELECT workspace_id, event_id FROM owned WHERE owned.route = counted.route AND owned.lane = counted.lane
    ) AS first
    CROSS JOIN LATERAL (SELECT received_at, channel_id FROM event WHERE id = first.event_id OFFSET 0) AS event
    JOIN channel ON channel.id = event.channel_id
    JOIN workspace ON workspace.id = first.workspace_id AND workspace.status = 'active'
    WHERE NOT EXISTS (SELECT 1 FROM cleanup_job WHERE holds = 1 AND workspace_id = first.workspace_id)
    UNION ALL
    SELECT counted.route, counted.lane, CAST(:steadyMs AS BIGINT) - due.due_at
    FROM (SELECT DISTINCT route, lane FROM queue_change WHERE lane IN ('urgent', 'standard')) AS counted
    CROSS JOIN LATERAL first_due(counted.route, counted.lane) AS due
    JOIN workspace ON workspace.id = due.workspace_id AND workspace.status = 'active'
    WHERE due.due_at <= :steadyMs AND NOT EXISTS (SELECT 1 FROM cleanup_job WHERE holds = 1 AND workspace_id = due.workspace_id)
  ) AS ages
  GROUP BY route, lane`;

export function measuring({ sql }: Connection): Pick<CallHandlers, 'queueDepth' | 'queueAge'> {
  const depth = sql.all<object, QueueDepth>(DEPTH);
  const age = sql.all<object, QueueAge>(AGE);

  return {
    queueDepth: async () => depthOf(await depth({})),

    async queueAge(_, { wallMs, steadyMs }) {
      const ages = await age({ wallMs, steadyMs });
      const rank = ({ route, lane }: QueueAge) => ROUTES.indexOf(route) * LANES.length + LANES.indexOf(lane);
      return ages.toSorted((a, b) => rank(a) - rank(b));
    },
  };
}

export function waitingByRoute({ sql }: Connection): EngineDeps['waitingByRoute'] {
  return sql.all<{ workspaceId: number | null }, Stats['waiting'][number]>(BY_ROUTE);
}
