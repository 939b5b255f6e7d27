import { LANES, type Lane, ROUTES, type Route } from '../../../push.ts';
import type { QueueAge, QueueDepth } from '../../calls.ts';
import type { CallHandlers } from '../../verbs/verb.ts';
import type { Connection } from '../connections.ts';

/** Without a look at each fan-out for itself: there may be very many. */
const WAITING = `
  SELECT route, lane, sum(count) AS count FROM (
    SELECT route, lane, sum(targeted) AS count FROM fan_out GROUP BY route, lane
    UNION ALL
    SELECT f.route, f.lane, -sum(p.recorded) FROM fan_out_progress AS p
    CROSS JOIN LATERAL (SELECT route, lane FROM fan_out WHERE event_id = p.event_id AND route = p.route OFFSET 0) AS f
    GROUP BY f.route, f.lane
  ) AS counts GROUP BY route, lane`;
const DEFERRED = `SELECT route, lane, count(*) AS count FROM delivery WHERE state = 'pending' GROUP BY route, lane`;

/** Of suspended workspaces everything waits on purpose. What is out as a whole is left out as well. */
const AGE = `
  SELECT route, lane, max(age) AS "ageMs" FROM (
    SELECT first.route, first.lane, CAST(:wallMs AS BIGINT) - event.received_at AS age
    FROM (
      SELECT route, lane, workspace_id, min(event_id) AS event_id FROM fan_out GROUP BY route, lane, workspace_id
    ) AS first
    JOIN event ON event.id = first.event_id
    JOIN channel ON channel.id = event.channel_id
    JOIN workspace ON workspace.id = first.workspace_id AND workspace.status = 'active'
    WHERE NOT EXISTS (SELECT 1 FROM remains WHERE holds = 1 AND workspace_id = first.workspace_id)
    UNION ALL
    SELECT due.route, due.lane, CAST(:steadyMs AS BIGINT) - due.due_at
    FROM (
      SELECT route, lane, workspace_id, min(due_at) AS due_at FROM delivery
      WHERE state = 'pending' AND claim_id IS NULL AND due_at <= :steadyMs GROUP BY route, lane, workspace_id
    ) AS due
    JOIN workspace ON workspace.id = due.workspace_id AND workspace.status = 'active'
    WHERE NOT EXISTS (SELECT 1 FROM remains WHERE holds = 1 AND workspace_id = due.workspace_id)
  ) AS ages
  WHERE lane IN ('urgent', 'standard') GROUP BY route, lane`;

interface LaneCount {
  readonly route: Route;
  readonly lane: Lane;
  readonly count: number;
}

/** How long the queue is, and for how long something has waited in it. */
export function measuring({ sql }: Connection): Pick<CallHandlers, 'queueDepth' | 'queueAge'> {
  const waiting = sql.all<object, LaneCount>(WAITING);
  const deferred = sql.all<object, LaneCount>(DEFERRED);
  const age = sql.all<object, QueueAge>(AGE);

  return {
    async queueDepth() {
      const fresh = await waiting({});
      const retried = await deferred({});
      return ROUTES.flatMap((route) =>
        LANES.map((lane): QueueDepth => {
          const of = (counts: readonly LaneCount[]) =>
            counts.find((one) => one.route === route && one.lane === lane)?.count ?? 0;
          return { route, lane, waiting: of(fresh), deferred: of(retried) };
        }),
      );
    },

    async queueAge(_, { wallMs, steadyMs }) {
      const ages = await age({ wallMs, steadyMs });
      const rank = ({ route, lane }: QueueAge) => ROUTES.indexOf(route) * LANES.length + LANES.indexOf(lane);
      return ages.toSorted((a, b) => rank(a) - rank(b));
    },
  };
}
