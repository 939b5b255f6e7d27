import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  accept,
  addDevice,
  addWorkspace,
  aWorld,
  granted,
  HOUR_MS,
  NOW_MS,
  refused,
  tokenOf,
} from '../support/world.ts';

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

const test = suite('stats');

test('events and outcomes are summed as a whole, by channel, by route and by reason', () => {
  const world = aWorld();
  for (const n of [1, 2, 3]) addDevice(world, { token: tokenOf(n) });
  accept(world);
  const time = { steadyMs: NOW_MS, wallMs: NOW_MS };
  const lane = { route: 'apns_production', lane: 'standard', limit: 1, pageSize: 9 } as const;
  const [claim] = world.calls.claimBatches({ ...lane, ...time }).claims;
  const verdicts = (claim?.targets ?? []).map(({ deviceId }, index) => {
    const verdict = index === 0 ? ({ state: 'accepted' } as const) : ({ state: 'failed', reason: 'BadTopic' } as const);
    return { deviceId, verdict, fitted: index === 0 };
  });
  world.calls.settleBatch({ batchId: claim?.batchId ?? 0, verdicts, linksLost: true, ...time });

  const counts = { ...NONE, accepted: 1, failed: 2, fitted: 1, links_lost: 1 };
  assert.equal(world.calls.stats({ sinceMs: NOW_MS - HOUR_MS, wallMs: NOW_MS }), {
    since: '2026-11-21T08:00:00.000+00:00',
    until: '2026-11-21T09:30:00.123+00:00',
    events: 1,
    totals: counts,
    channels: [{ workspace: 'acme', channel: 'deploys', events: 1, ...counts }],
    routes: [{ route: 'apns_production', ...counts }],
    reasons: [{ route: 'apns_production', state: 'failed', reason: 'BadTopic', count: 2 }],
  });
});

test('only the hours since the given time count', () => {
  const world = aWorld();
  accept(world, { wallMs: NOW_MS - 3 * HOUR_MS });
  accept(world, { wallMs: NOW_MS - HOUR_MS });
  const { events } = granted(world.calls.stats({ sinceMs: NOW_MS - HOUR_MS, wallMs: NOW_MS }));
  assert.is(events, 1);
});

test('the numbers of one workspace can be asked for alone', () => {
  const world = aWorld();
  addWorkspace(world, 'umbrella');
  accept(world);
  const of = (workspace: string) => world.calls.stats({ workspace, sinceMs: NOW_MS, wallMs: NOW_MS });
  assert.is(granted(of('acme')).events, 1);
  assert.is(granted(of('umbrella')).events, 0);
  assert.match(refused(of('umbrela')).message, 'the nearest is "umbrella"');
});

test('the numbers of a deleted channel stay in the totals', () => {
  const world = aWorld();
  accept(world);
  assert.equal(world.calls.deleteChannelStep({ workspace: 'acme', slug: 'deploys' }), { done: true });
  const { events, channels } = granted(world.calls.stats({ sinceMs: NOW_MS, wallMs: NOW_MS }));
  assert.is(events, 1);
  assert.equal(channels, []);
});

test.run();
