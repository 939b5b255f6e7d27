import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandContext } from '../../../src/cli/context.ts';
import { bar, shortDuration, sparkline, statsReport } from '../../../src/cli/output/stats-report.ts';
import type { Stats, StatsCounts } from '../../../src/store/calls/operators.ts';

test('A bar fills its width for the largest value, and shows the smallest', () => {
  assert.is(bar(10, 10, 4), '████');
  assert.is(bar(5, 10, 4), '██');
  assert.is(bar(3, 16, 1), '▎');
  assert.is(bar(1, 1_000_000, 4), '▏');
  assert.is(bar(0, 10, 4), '');
  assert.is(bar(0, 0, 4), '');
});

test('A sparkline has one column a value, blank if there is nothing', () => {
  assert.is(sparkline([0, 1, 4, 8]), ' ▁▄█');
  assert.is(sparkline([0, 0]), '  ');
  assert.is(sparkline([]), '');
});

test('A duration is shown in the unit in which it is short', () => {
  const shown = [45, 1_234, 59_000, 300_000, 10_800_000, 259_200_000].map(shortDuration);
  assert.equal(shown, ['45ms', '1.2s', '59s', '5m', '3h', '3d']);
});

const COUNTS: StatsCounts = {
  accepted: 12_345,
  failed: 3,
  unregistered: 42,
  expired: 0,
  withdrawn: 7,
  deferred: 900,
  fitted: 1,
  links_lost: 0,
};
const LATENCY = { p50_ms: 45, p95_ms: 1_200, p99_ms: 61_000 };
const AT = '2026-11-21T09:00:00.000+00:00';
const STATS: Stats = {
  since: AT,
  until: AT,
  events: 1_234,
  totals: COUNTS,
  latency: LATENCY,
  workspaces: [{ workspace: 'acme', events: 1_234, ...COUNTS }],
  channels: [{ workspace: 'acme', channel: 'deploys', events: 1_234, ...COUNTS }],
  routes: [{ route: 'apns_production', latency: LATENCY, ...COUNTS }],
  waiting: [],
  reasons: [
    {
      route: 'apns_production',
      state: 'unregistered',
      reason: 'DeviceTokenNotForTopic',
      count: 42,
      last_hour: '2026-11-21T09:00:00.000+00:00',
    },
  ],
  series: [{ start: AT, events: 1_234, latency: LATENCY, ...COUNTS }],
  usage: [{ workspace: 'acme', monthly_event_allowance: 50_000, used: 1_234, forecast: 60_000, exhausted_at: AT }],
  not_showing: { count: 0, first: [] },
  on_call_unreachable: { count: 0, first: [] },
};
const QUARANTINED = [
  { route: 'apns_production', reason: 'DeviceTokenNotForTopic', devices: 12, accepted_before: 5, since: AT },
] as const;

for (const columns of [60, 80, 100, 132]) {
  test(`No line of the statistics is longer than the ${columns} columns of the terminal.`, () => {
    const lines = statsReport(aContext(columns), STATS, QUARANTINED).split('\n');
    assert.equal(
      lines.filter((line) => line.length > columns),
      [],
    );
  });
}

test('However narrow the terminal is, the statistics leave out no count.', () => {
  const report = statsReport(aContext(60), STATS);
  for (const name of ['accepted', 'unregistered', 'deferred', 'links lost', 'p99'])
    assert.match(report.toLowerCase(), name);
});

function aContext(columns: number): CommandContext {
  const context = { process: { stdout: { columns } }, options: { color: false }, heading: (text: string) => text };
  return context as unknown as CommandContext;
}

test.run();
