import { ROUTES, type Route } from '../push.ts';
import { hourOf, toTimestamp } from '../timestamp.ts';
import { isRefusal, type StatsCounts } from './calls.ts';
import type { Db, Handlers } from './handlers.ts';
import { lookups } from './lookups.ts';

type Measure = 'events' | keyof StatsCounts;

interface CountRow {
  readonly measure: Measure;
  readonly count: number;
}
interface SumRow extends CountRow {
  readonly channel_id: number;
  readonly route: Route | '';
  readonly reason: string;
}
interface ChannelName {
  readonly id: number;
  readonly workspace: string;
  readonly channel: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function stats(db: Db): Handlers<'stats' | 'statsHistory'> {
  const sums = db.prepare<{ fromMs: number; untilMs: number; workspaceId: number | null }, SumRow>(`
    SELECT channel_id, route, measure, reason, sum(count) AS count FROM tally
    WHERE hour BETWEEN :fromMs AND :untilMs AND (:workspaceId IS NULL OR workspace_id = :workspaceId)
    GROUP BY channel_id, route, measure, reason
  `);
  const channelNames = db.prepare<{ workspaceId: number | null }, ChannelName>(`
    SELECT channel.id, workspace.slug AS workspace, channel.slug AS channel
    FROM channel JOIN workspace ON workspace.id = channel.workspace_id
    WHERE :workspaceId IS NULL OR workspace.id = :workspaceId ORDER BY workspace.slug, channel.slug
  `);
  const history = db.prepare<
    { fromMs: number; untilMs: number; workspaceId: number; bucketMs: number },
    CountRow & { startMs: number }
  >(`
    SELECT hour / :bucketMs * :bucketMs AS startMs, measure, sum(count) AS count FROM tally
    WHERE hour BETWEEN :fromMs AND :untilMs AND workspace_id = :workspaceId
    GROUP BY startMs, measure ORDER BY startMs
  `);
  const find = lookups(db);

  return {
    /** Counters are kept by the hour, so the time starts with the hour of `sinceMs`. */
    stats({ workspace: slug, sinceMs, wallMs }) {
      const workspace = slug === undefined ? null : find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const workspaceId = workspace?.id ?? null;
      const fromMs = hourOf(sinceMs);
      const rows = sums.all({ fromMs, untilMs: wallMs, workspaceId });
      const byChannel = Map.groupBy(rows, (row) => row.channel_id);
      const byRoute = Map.groupBy(rows, (row) => row.route);
      return {
        since: toTimestamp(fromMs),
        until: toTimestamp(wallMs),
        events: total(rows, 'events'),
        totals: countsOf(rows),
        channels: channelNames.all({ workspaceId }).flatMap(({ id, workspace, channel }) => {
          const own = byChannel.get(id);
          return own ? { workspace, channel, events: total(own, 'events'), ...countsOf(own) } : [];
        }),
        routes: ROUTES.flatMap((route) => {
          const own = byRoute.get(route);
          return own ? { route, ...countsOf(own) } : [];
        }),
        reasons: reasonsOf(rows),
      };
    },

    /** Days are those of UTC. The first bucket is whole, also where `sinceMs` lies inside of it. */
    statsHistory({ workspace: slug, by, sinceMs, wallMs }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const bucketMs = by === 'hour' ? HOUR_MS : DAY_MS;
      const fromMs = Math.floor(sinceMs / bucketMs) * bucketMs;
      const rows = history.all({ fromMs, untilMs: wallMs, workspaceId: workspace.id, bucketMs });
      return [...Map.groupBy(rows, ({ startMs }) => startMs)].map(([startMs, own]) => ({
        start: toTimestamp(startMs),
        events: total(own, 'events'),
        ...countsOf(own),
      }));
    },
  };
}

function countsOf(rows: readonly CountRow[]): StatsCounts {
  return {
    accepted: total(rows, 'accepted'),
    failed: total(rows, 'failed'),
    unregistered: total(rows, 'unregistered'),
    expired: total(rows, 'expired'),
    withdrawn: total(rows, 'withdrawn'),
    deferred: total(rows, 'deferred'),
    fitted: total(rows, 'fitted'),
    links_lost: total(rows, 'links_lost'),
  };
}

function total(rows: readonly CountRow[], measure: Measure): number {
  return rows.reduce((sum, row) => (row.measure === measure ? sum + row.count : sum), 0);
}

/** The most frequent first. */
function reasonsOf(rows: readonly SumRow[]) {
  const named = rows.flatMap((row) => (row.route === '' || row.reason === '' ? [] : { ...row, route: row.route }));
  const groups = Map.groupBy(named, ({ route, measure, reason }) => `${route} ${measure} ${reason}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      const count = group.reduce((sum, row) => sum + row.count, 0);
      return first ? { route: first.route, state: first.measure, reason: first.reason, count } : [];
    })
    .sort((a, b) => b.count - a.count);
}
