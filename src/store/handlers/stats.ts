import { ROUTES, type Route } from '../../push.ts';
import { type Buckets, countInto, type Percentiles, percentilesOf } from '../../values/histogram.ts';
import { hourOf, monthOf, nextMonthMs, toTimestamp } from '../../values/timestamp.ts';
import type { WorkspaceForecast } from '../calls/operators.ts';
import { isRefusal, type Stats, type StatsCounts } from '../calls.ts';
import { ifGiven, type Sql } from '../sql.ts';
import type { EngineDeps, SomeHandlers } from './handler.ts';
import { lookups } from './lookups.ts';
import { unreachableOnCall } from './on-call/unreachable.ts';

type Measure = 'events' | 'latency' | keyof StatsCounts;

/** `reason` of a latency: its bucket. */
interface Sum {
  readonly route: Route | '';
  readonly measure: Measure;
  readonly reason: string;
  readonly count: number;
}
interface ChannelSum extends Sum {
  readonly workspace_id: number;
  readonly channel_id: number;
  readonly lastHourMs: number;
}
interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly workspaceId: number | null;
}
interface Name {
  readonly id: number;
  readonly workspace: string;
}

const PERIOD_MS = { hour: 3_600_000, day: 86_400_000 } as const;

const FIRST_SILENT = 5;
const SILENT = `
  FROM reporter JOIN device ON device.id = reporter.device_id JOIN person ON person.id = device.user_id
  WHERE silent_at IS NOT NULL AND device.status = 'active' AND ${ifGiven(
    'workspaceId',
    `EXISTS (
    SELECT 1 FROM member WHERE member.workspace_id = :workspaceId AND member.user_id = device.user_id
  )`,
  )}`;

export function stats(sql: Sql, { waitingByRoute }: Pick<EngineDeps, 'waitingByRoute'>) {
  const sums = sql.all<Span, ChannelSum>(`
    SELECT workspace_id, channel_id, route, measure, reason, sum(count) AS count, max(hour) AS "lastHourMs" FROM tally
    WHERE hour BETWEEN :fromMs AND :untilMs AND ${ifGiven('workspaceId', 'workspace_id = :workspaceId')}
    GROUP BY workspace_id, channel_id, route, measure, reason
  `);
  const sumsOverTime = sql.all<Span & { periodMs: number }, Sum & { startMs: number }>(`
    SELECT hour - hour % :periodMs AS "startMs", route, measure, reason, sum(count) AS count FROM tally
    WHERE hour BETWEEN :fromMs AND :untilMs AND ${ifGiven('workspaceId', 'workspace_id = :workspaceId')}
    GROUP BY "startMs", route, measure, reason ORDER BY "startMs"
  `);
  const workspaceNames = sql.all<{ workspaceId: number | null }, Name>(
    `SELECT id, slug AS workspace FROM workspace WHERE ${ifGiven('workspaceId', 'id = :workspaceId')} ORDER BY slug`,
  );
  const channelNames = sql.all<{ workspaceId: number | null }, Name & { channel: string }>(`
    SELECT channel.id, workspace.slug AS workspace, channel.slug AS channel
    FROM channel JOIN workspace ON workspace.id = channel.workspace_id
    WHERE ${ifGiven('workspaceId', 'workspace.id = :workspaceId')} ORDER BY workspace.slug, channel.slug
  `);
  const silentCount = sql.value<{ workspaceId: number | null }, number>(`SELECT count(*) ${SILENT}`);
  const firstSilent = sql.all<{ workspaceId: number | null }, { id: string; name: string; email: string }>(
    `SELECT device.public_id AS id, device.name, person.email ${SILENT} ORDER BY reporter.device_id LIMIT ${FIRST_SILENT}`,
  );
  const unreachable = unreachableOnCall(sql);
  const forecast = forecasts(sql);
  const find = lookups(sql);

  return {
    /** Counters are hourly, so the time starts with the hour of `sinceMs`. */
    async stats({ workspace: slug, sinceMs, by }, { wallMs }) {
      const workspace = slug === undefined ? null : await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const workspaceId = workspace?.id ?? null;
      const span = { fromMs: hourOf(sinceMs), untilMs: wallMs, workspaceId };
      const rows = await sums(span);
      const byWorkspace = Map.groupBy(rows, (row) => row.workspace_id);
      const byChannel = Map.groupBy(rows, (row) => row.channel_id);
      const byRoute = Map.groupBy(rows, (row) => row.route);
      const overTime = by === undefined ? [] : await sumsOverTime({ ...span, periodMs: PERIOD_MS[by] });
      return {
        since: toTimestamp(span.fromMs),
        until: toTimestamp(wallMs),
        events: total(rows, 'events'),
        totals: countsOf(rows),
        latency: latencyOf(rows),
        workspaces: (await workspaceNames({ workspaceId })).flatMap(({ id, workspace }) => {
          const own = byWorkspace.get(id);
          return own ? { workspace, events: total(own, 'events'), ...countsOf(own) } : [];
        }),
        channels: (await channelNames({ workspaceId })).flatMap(({ id, workspace, channel }) => {
          const own = byChannel.get(id);
          return own ? { workspace, channel, events: total(own, 'events'), ...countsOf(own) } : [];
        }),
        routes: ROUTES.flatMap((route) => {
          const own = byRoute.get(route);
          return own ? { route, ...countsOf(own), latency: latencyOf(own) } : [];
        }),
        reasons: reasonsOf(rows),
        waiting: await waitingByRoute({ workspaceId }),
        series: bucketsOf(overTime).map((bucket) => ({ ...bucket.counts, latency: latencyOf(bucket.rows) })),
        usage: await forecast(workspaceId, wallMs),
        not_showing: {
          count: (await silentCount({ workspaceId })) ?? 0,
          first: await firstSilent({ workspaceId }),
        },
        on_call_unreachable: await unreachable(workspaceId, wallMs),
      };
    },
  } satisfies SomeHandlers;
}

function bucketsOf<R extends Sum & { startMs: number }>(rows: readonly R[]) {
  return [...Map.groupBy(rows, ({ startMs }) => startMs)].map(([startMs, own]) => {
    return { rows: own, counts: { start: toTimestamp(startMs), events: total(own, 'events'), ...countsOf(own) } };
  });
}

function countsOf(rows: readonly Sum[]): StatsCounts {
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

function total(rows: readonly Sum[], measure: Measure): number {
  return rows.reduce((sum, row) => (row.measure === measure ? sum + row.count : sum), 0);
}

function latencyOf(rows: readonly Sum[]): Percentiles | null {
  const buckets: Buckets = new Map();
  for (const { measure, reason, count } of rows) {
    if (measure === 'latency') countInto(buckets, Number(reason), count);
  }
  return percentilesOf(buckets);
}

/** Most frequent first. */
function reasonsOf(rows: readonly ChannelSum[]): Stats['reasons'] {
  const named = rows.flatMap(({ route, measure, reason, count, lastHourMs }) =>
    route === '' || reason === '' || measure === 'latency' ? [] : { route, state: measure, reason, count, lastHourMs },
  );
  const groups = Map.groupBy(named, ({ route, state, reason }) => `${route} ${state} ${reason}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { lastHourMs: _, ...fields } = first;
      const last_hour = toTimestamp(Math.max(...group.map(({ lastHourMs }) => lastHourMs)));
      return { ...fields, count: group.reduce((sum, { count }) => sum + count, 0), last_hour };
    })
    .sort((a, b) => b.count - a.count);
}

const DAY_MS = 86_400_000;
/** A week always contains a weekend. */
const LOOK_BACK_MS = 7 * DAY_MS;

interface UsageRow {
  readonly workspace: string;
  readonly allowance: number | null;
  readonly createdAtMs: number;
  readonly used: number;
  /** Events of seven days. */
  readonly recent: number;
}

/** Returns this month's use and forecast, of each workspace or one. */
function forecasts(sql: Sql): (workspaceId: number | null, wallMs: number) => Promise<readonly WorkspaceForecast[]> {
  const usage = sql.all<{ workspaceId: number | null; month: string; fromMs: number }, UsageRow>(`
    SELECT workspace.slug AS workspace, plan.monthly_events AS allowance, created_at AS "createdAtMs",
      coalesce(usage.events, 0) AS used, coalesce(lately.events, 0) AS recent
    FROM workspace
    JOIN plan ON plan.name = workspace.plan
    LEFT JOIN usage ON usage.workspace_id = workspace.id AND usage.month = :month
    LEFT JOIN (
      SELECT workspace_id, sum(count) AS events FROM tally WHERE hour >= :fromMs AND measure = 'events' GROUP BY workspace_id
    ) AS lately ON lately.workspace_id = workspace.id
    WHERE ${ifGiven('workspaceId', 'workspace.id = :workspaceId')} ORDER BY workspace.slug
  `);
  return async (workspaceId, wallMs) => {
    const rows = await usage({ workspaceId, month: monthOf(wallMs), fromMs: hourOf(wallMs - LOOK_BACK_MS) });
    return rows.map((row) => forecast(row, wallMs));
  };
}

/** Forecasts young workspaces by their own life, at least a day. */
function forecast({ workspace, allowance, createdAtMs, used, recent }: UsageRow, wallMs: number): WorkspaceForecast {
  const seenMs = Math.min(LOOK_BACK_MS, Math.max(DAY_MS, wallMs - createdAtMs));
  const perMs = recent / seenMs;
  const leftMs = nextMonthMs(wallMs) - wallMs;
  const spentInMs = allowance === null ? Number.POSITIVE_INFINITY : Math.max(0, allowance - used) / perMs;
  return {
    workspace,
    monthly_event_allowance: allowance,
    used,
    forecast: Math.round(used + perMs * leftMs),
    exhausted_at: spentInMs < leftMs ? toTimestamp(Math.round(wallMs + spentInMs)) : null,
  };
}
