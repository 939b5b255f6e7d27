import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandContext } from '../../../src/cli/context.ts';
import { statsReport } from '../../../src/cli/output/stats-report.ts';
import type { Stats, StatsCounts } from '../../../src/store/calls/operators.ts';

const test = suite('cli: stats report');

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

test.run();

function aContext(columns: number): CommandContext {
  const context = { process: { stdout: { columns } }, options: { color: false }, heading: (text: string) => text };
  return context as unknown as CommandContext;
}
