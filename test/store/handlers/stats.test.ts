import * as assert from 'uvu/assert';
import { conformance } from '../../support/engines.ts';
import { granted, refused } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../../support/world.ts';

const NONE = {
  accepted: 0,
  failed: 0,
  unregistered: 0,
  expired: 0,
  withdrawn: 0,
  deferred: 0,
  fitted: 0,
  links_lost: 0,
};

const { test, it, run } = conformance('stats', aWorld);

it('events and outcomes are summed in total, by channel, by route and by reason', async (world) => {
  for (const n of [1, 2, 3]) await world.addDevice({ token: tokenOf(n) });
  await world.accept();
  const lane = { route: 'apns_production', lane: 'standard', limit: 9, batchSize: 9 } as const;
  const [claim] = (await world.calls.claimBatches(lane)).claims;
  const verdicts = (claim?.targets ?? []).map((_, index) => {
    const verdict = index === 0 ? ({ state: 'accepted' } as const) : ({ state: 'failed', reason: 'BadTopic' } as const);
    return { index, verdict, fitted: index === 0, linksLost: true };
  });
  await world.calls.settleBatch({ claimId: claim?.claimId ?? '', verdicts });

  const latency = { p50_ms: 1, p95_ms: 1, p99_ms: 1 };
  const counts = { ...NONE, accepted: 1, failed: 2, fitted: 1, links_lost: 1 };
  assert.equal(await world.calls.stats({ sinceMs: NOW_MS - HOUR_MS }), {
    since: '2026-11-21T08:00:00.000+00:00',
    until: '2026-11-21T09:30:00.123+00:00',
    events: 1,
    totals: counts,
    latency,
    workspaces: [{ workspace: 'acme', events: 1, ...counts }],
    channels: [{ workspace: 'acme', channel: 'alerts', events: 1, ...counts }],
    routes: [{ route: 'apns_production', ...counts, latency }],
    reasons: [
      {
        route: 'apns_production',
        state: 'failed',
        reason: 'BadTopic',
        count: 2,
        last_hour: '2026-11-21T09:00:00.000+00:00',
      },
    ],
    waiting: [],
    series: [],
    usage: [{ workspace: 'acme', monthly_event_allowance: null, used: 1, forecast: 11, exhausted_at: null }],
    not_showing: { count: 0, first: [] },
    on_call_unreachable: { count: 0, first: [] },
  });
});

it('a reason comes with the hour in which it was last counted', async (world) => {
  await world.addDevice();
  for (const wallMs of [NOW_MS - 5 * HOUR_MS, NOW_MS - 2 * HOUR_MS]) await failAt(world, wallMs);
  const { reasons } = granted(await world.calls.stats({ sinceMs: NOW_MS - 24 * HOUR_MS }));
  assert.equal(
    reasons.map(({ reason, count, last_hour }) => [reason, count, last_hour]),
    [['BadTopic', 2, '2026-11-21T07:00:00.000+00:00']],
  );
});

test('waiting pushes are counted by route: not sent yet, or to be tried again', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 3, android: 1 } });
  const { accept, workspaceId } = await world.addWorkspace('umbrella', { channels: ['alerts'] });
  await world.accept();
  await accept({ workspaceId });
  const lane = { route: 'apns_production', lane: 'standard', limit: 2, batchSize: 2 } as const;
  const [claim] = (await world.calls.claimBatches(lane)).claims;
  const later = { state: 'pending', reason: 'busy', retryInMs: 1_000, spent: true } as const;
  const verdicts = [{ state: 'accepted' } as const, later].map((verdict, index) => {
    return { index, verdict, fitted: false, linksLost: false };
  });
  await world.calls.settleBatch({ claimId: claim?.claimId ?? '', verdicts });
  const waiting = async (workspace: string) =>
    granted(await world.calls.stats({ workspace, sinceMs: NOW_MS - HOUR_MS })).waiting;
  assert.equal(await waiting('acme'), [
    { route: 'apns_production', pushes: 2 },
    { route: 'fcm', pushes: 1 },
  ]);
  assert.equal(await waiting('umbrella'), []);
});

it('latency is merged from histograms, to within a fifth', async (world) => {
  await world.addDevice();
  for (const [times, latencyMs] of [
    [98, 40],
    [1, 900],
    [1, 60_000],
  ] as const) {
    for (let n = 0; n < times; n += 1) await acceptAfter(world, latencyMs);
  }
  const { latency } = granted(await world.calls.stats({ sinceMs: NOW_MS, wallMs: NOW_MS + HOUR_MS }));
  assert.equal(latency, { p50_ms: 45, p95_ms: 45, p99_ms: 1024 });
});

it('with an hour or a day as the period there is a line for each in which something happened', async (world) => {
  await world.accept({ wallMs: NOW_MS - 30 * HOUR_MS });
  await world.accept({ wallMs: NOW_MS - 2 * HOUR_MS });
  await world.accept();
  const lines = async (by: 'hour' | 'day') =>
    granted(await world.calls.stats({ sinceMs: NOW_MS - 48 * HOUR_MS, by })).series.map(
      ({ start, events }) => `${start.slice(0, 16)} ${events}`,
    );
  assert.equal(await lines('hour'), ['2026-11-20T03:00 1', '2026-11-21T07:00 1', '2026-11-21T09:00 1']);
  assert.equal(await lines('day'), ['2026-11-20T00:00 1', '2026-11-21T00:00 2']);
});

it('the forecast goes on at the pace of the last seven days and says when the allowance will be spent', async (world) => {
  granted(await world.calls.setPlan({ name: 'small', monthlyEvents: 200 }));
  granted(await world.calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
  const laterMs = NOW_MS + 2 * 24 * HOUR_MS;
  for (let n = 0; n < 100; n += 1) await world.accept({ wallMs: laterMs - HOUR_MS });
  const [usage] = granted(await world.calls.stats({ sinceMs: NOW_MS, wallMs: laterMs })).usage;
  assert.is(usage?.used, 100);
  // 100 in two days, and seven and a half days are left.
  assert.is(usage?.forecast, 480);
  assert.is(usage?.exhausted_at?.slice(0, 10), '2026-11-25');
});

it('only the hours since the given time count', async (world) => {
  await world.accept({ wallMs: NOW_MS - 3 * HOUR_MS });
  await world.accept({ wallMs: NOW_MS - HOUR_MS });
  const { events } = granted(await world.calls.stats({ sinceMs: NOW_MS - HOUR_MS }));
  assert.is(events, 1);
});

it('the numbers of one workspace can be asked for alone', async (world) => {
  await world.addWorkspace('umbrella');
  await world.accept();
  const of = (workspace: string) => world.calls.stats({ workspace, sinceMs: NOW_MS });
  assert.is(granted(await of('acme')).events, 1);
  assert.is(granted(await of('umbrella')).events, 0);
  assert.match(refused(await of('umbrela')).message, 'The nearest is "umbrella"');
});

it('the numbers of a deleted channel stay in the totals', async (world) => {
  await world.accept();
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  const { events, channels } = granted(await world.calls.stats({ sinceMs: NOW_MS }));
  assert.is(events, 1);
  assert.equal(channels, []);
});

it('usage shows this month first, then the twelve before it, without gaps', async (world) => {
  await world.accept({ wallMs: Date.UTC(2025, 9, 31, 23, 59, 59, 999) });
  await world.accept({ wallMs: Date.UTC(2025, 10, 1) });
  await world.accept({ wallMs: Date.UTC(2026, 10, 1) });
  await world.accept();
  const { months, used, resets_at } = await world.calls.readUsage({ workspaceId: world.workspaceId });
  assert.is(months.length, 13);
  assert.equal(months[0], { month: '2026-11', events: 2 });
  assert.equal(months[1], { month: '2026-10', events: 0 });
  assert.equal(months[12], { month: '2025-11', events: 1 });
  assert.is(used, 2);
  assert.is(resets_at, '2026-12-01T00:00:00.000+00:00');
});

it('the rest of the allowance is never negative, even after the plan has shrunk', async (world) => {
  await world.accept();
  await world.accept();
  granted(await world.calls.setPlan({ name: 'small', monthlyEvents: 1 }));
  granted(await world.calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
  const { monthly_event_allowance, used, remaining } = await world.calls.readUsage({
    workspaceId: world.workspaceId,
  });
  assert.equal([monthly_event_allowance, used, remaining], [1, 2, 0]);
});

it('without a limit no remainder is counted, and each workspace counts alone', async (world) => {
  const { workspaceId: other } = await world.addWorkspace('umbrella');
  await world.accept();
  const usage = await world.calls.readUsage({ workspaceId: other });
  assert.equal([usage.monthly_event_allowance, usage.used, usage.remaining], [null, 0, null]);
});

run();

/** An event that the provider accepted so long after the 202. */
async function acceptAfter(world: World, latencyMs: number): Promise<void> {
  await world.accept();
  const lane = { route: 'apns_production', lane: 'standard', limit: 9, batchSize: 9 } as const;
  const time = { steadyMs: NOW_MS, wallMs: NOW_MS + latencyMs };
  for (const { claimId, targets } of (await world.calls.claimBatches({ ...lane, ...time })).claims) {
    const verdicts = targets.map((_, index) => {
      return { index, verdict: { state: 'accepted' } as const, fitted: false, linksLost: false };
    });
    await world.calls.settleBatch({ claimId, verdicts, ...time });
  }
}

/** One event, whose only push fails at that time. */
async function failAt(world: World, wallMs: number): Promise<void> {
  await world.accept({ wallMs });
  const time = { steadyMs: NOW_MS, wallMs };
  const lane = { route: 'apns_production', lane: 'standard', limit: 9, batchSize: 9 } as const;
  const [claim] = (await world.calls.claimBatches({ ...lane, ...time })).claims;
  const verdicts = [
    { index: 0, verdict: { state: 'failed', reason: 'BadTopic' }, fitted: false, linksLost: false },
  ] as const;
  await world.calls.settleBatch({ claimId: claim?.claimId ?? '', verdicts, ...time });
}
