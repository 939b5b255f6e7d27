import type { Route } from '../../push.ts';
import type { QuarantinedDevices, Stats, StatsCounts, WorkspaceForecast } from '../../store/calls.ts';
import type { Percentiles } from '../../values/histogram.ts';
import type { CommandContext } from '../context.ts';
import { table, when } from './table.ts';

const COUNTS = [
  'accepted',
  'failed',
  'unregistered',
  'expired',
  'withdrawn',
  'deferred',
  'fitted',
  'links_lost',
] as const;
const HEADINGS = COUNTS.map((name) => name.replace('_', ' ').toUpperCase());
const LATENCY = ['P50', 'P95', 'P99'];
const BAR_WIDTH = 12;

export function statsReport(
  context: CommandContext,
  stats: Stats,
  quarantined: readonly RouteQuarantine[] = [],
): string {
  return [
    `From ${when(stats.since)} to ${when(stats.until)}.\n${latencyLine(stats.latency)}`,
    channels(context, stats),
    routes(context, stats),
    ...(stats.reasons.length > 0 ? [reasons(context, stats)] : []),
    ...(quarantined.length > 0 ? [refused(context, quarantined)] : []),
    ...(stats.series.length > 0 ? [overTime(context, stats)] : []),
    ...(stats.usage.length > 0 ? [usage(context, stats.usage)] : []),
  ].join('\n\n');
}

type RouteQuarantine = QuarantinedDevices & { readonly route: Route };

/** Formats a duration with two digits: `1.2s`, `45ms`, `3m`. */
export function shortDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)}s`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)}s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)}m`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)}h`;
  return `${Math.round(ms / 86_400_000)}d`;
}

function latencyLine(latency: Percentiles | null): string {
  if (latency === null) return 'Nothing was accepted.';
  const [p50, p95, p99] = latencies(latency);
  return `From 202 to acceptance: p50 ${p50}, p95 ${p95}, p99 ${p99}.`;
}

function channels(context: CommandContext, stats: Stats): string {
  const rows = stats.channels.map((row) => [`${row.workspace}/${row.channel}`, row.events, ...numbers(row)]);
  const sums = stats.workspaces.map((row) => [`${row.workspace}, all`, row.events, ...numbers(row)]);
  const totalsRow = ['all', stats.events, ...numbers(stats.totals)];
  return table(context, ['CHANNEL', 'EVENTS', ...HEADINGS], [...rows, ...(sums.length > 1 ? sums : []), totalsRow], '');
}

function routes(context: CommandContext, stats: Stats): string {
  const rows = stats.routes.map((row) => [row.route, ...numbers(row), ...latencies(row.latency)]);
  return table(context, ['ROUTE', ...HEADINGS, ...LATENCY], rows, 'No push was sent.');
}

function reasons(context: CommandContext, stats: Stats): string {
  const most = Math.max(...stats.reasons.map(({ count }) => count));
  const rows = stats.reasons.map(({ route, state, reason, count }) => [
    route,
    state,
    reason,
    count,
    bar(count, most, BAR_WIDTH) || ' ',
  ]);
  return table(context, ['ROUTE', 'STATE', 'REASON', 'COUNT', ' '], rows, '');
}

function refused(context: CommandContext, quarantined: readonly RouteQuarantine[]): string {
  const rows = quarantined.map(({ route, reason, devices, accepted_before, since }) => [
    route,
    reason,
    devices,
    accepted_before,
    when(since),
  ]);
  return table(context, ['ROUTE', 'REFUSES FOR', 'DEVICES NOW', 'GOOD BEFORE', 'SINCE'], rows, '');
}

function overTime(context: CommandContext, { series }: Stats): string {
  const most = Math.max(...series.map(({ accepted }) => accepted));
  const rows = series.map((row) => [
    when(row.start),
    row.events,
    row.accepted,
    row.failed + row.unregistered + row.expired,
    ...latencies(row.latency),
    bar(row.accepted, most, BAR_WIDTH) || ' ',
  ]);
  return table(context, ['FROM', 'EVENTS', 'ACCEPTED', 'LOST', ...LATENCY, ' '], rows, '');
}

function usage(context: CommandContext, forecasts: readonly WorkspaceForecast[]): string {
  const rows = forecasts.map(({ workspace, monthly_event_allowance: allowance, used, forecast, exhausted_at }) => [
    workspace,
    used,
    allowance ?? 'unlimited',
    allowance === null ? ' ' : bar(used, allowance, BAR_WIDTH) || ' ',
    forecast,
    when(exhausted_at),
  ]);
  return table(context, ['WORKSPACE', 'THIS MONTH', 'ALLOWANCE', ' ', 'BY ITS END', 'SPENT AT'], rows, '');
}

function numbers(counts: StatsCounts): number[] {
  return COUNTS.map((name) => counts[name]);
}

function latencies(latency: Percentiles | null): (string | null)[] {
  if (latency === null) return [null, null, null];
  return [latency.p50_ms, latency.p95_ms, latency.p99_ms].map(shortDuration);
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const HEIGHTS = '▁▂▃▄▅▆▇█';

/** Draws a bar up to `width` columns, in eighths. Positive values are visible. */
export function bar(value: number, largest: number, width: number): string {
  if (value <= 0 || largest <= 0) return '';
  const eighths = Math.max(1, Math.round((Math.min(value, largest) / largest) * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** Draws one column a value, scaled to the largest value. Zero is blank. */
export function sparkline(values: readonly number[]): string {
  const largest = Math.max(0, ...values);
  return values.map((value) => (value <= 0 ? ' ' : HEIGHTS[Math.ceil((value / largest) * 8) - 1])).join('');
}
