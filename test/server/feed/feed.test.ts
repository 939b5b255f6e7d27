import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { uuidOf } from '../../../src/contract/public-id.ts';
import type { Outcome, PushEvent, Route } from '../../../src/push.ts';
import { Feed } from '../../../src/server/feed/feed.ts';
import type { FeedItem, PulseItem, SentItem } from '../../../src/server/feed/items.ts';
import { type Claim, isRefusal, type Refusal, type Watched } from '../../../src/store/calls.ts';
import { aPushEvent, aTarget } from '../../support/pushes.ts';
import { granted } from '../../support/refusals.ts';
import { SimulatedClock } from '../../support/simulation.ts';
import { until, untilIs } from '../../support/until.ts';
import { valuesOf } from '../../support/values-of.ts';

const EVENT = 'evt_01m7y7qp55ea087ggd7fpjkv29';
const ACCEPTED: Outcome = { kind: 'accepted' };
const REJECTED: Outcome = { kind: 'rejected', reason: 'BadTopic' };

interface Scene {
  readonly feed: Feed;
  readonly clock: SimulatedClock;
  readonly looks: () => number;
}

function aFeed(): Scene {
  const clock = new SimulatedClock();
  let looks = 0;
  const store = {
    findWatched: async ({ workspace }: Watched): Promise<{ workspaceId: number | null } | Refusal> =>
      workspace === 'nowhere'
        ? { refused: 'not_found', message: '' }
        : { workspaceId: workspace === 'acme' ? 1 : null },
    publicDeviceIds: async () => ({ 0: 'dev_a', 2: 'dev_c' }),
    queueDepth: async () => {
      looks += 1;
      return [{ route: 'fcm', lane: 'standard', waiting: 7, deferred: 2 } as const];
    },
    queueAge: async () => [{ route: 'fcm', lane: 'standard', ageMs: 5_000 } as const],
  };
  const pause = { kind: 'unavailable', reason: 'Shutdown', sinceMs: clock.steadyMs() - 3_000, nextProbeMs: 0 } as const;
  const feed = new Feed({
    store,
    clock,
    pauses: () => [
      { route: 'apns_production', pause: null },
      { route: 'fcm', pause },
    ],
    batchesInFlight: () => 3,
    connections: () => 4,
    linksBytes: () => 600,
  });
  return { feed, clock, looks: () => looks };
}

/** Returns the items that a watcher gets, and how to stop. */
async function watching({ feed }: Scene, args: unknown = {}, takes = () => true) {
  const items: FeedItem[] = [];
  const watched = await feed.watch(args, (item) => {
    if (takes()) items.push(item);
    return takes();
  });
  const stop = granted(watched);
  const pulse = async (): Promise<PulseItem> => {
    const seen = items.length;
    const found = () => items.slice(seen).find((item) => item.kind === 'pulse');
    await until('a pulse', () => found() !== undefined);
    return found() as PulseItem;
  };
  const sent = () => items.filter((item): item is SentItem => item.kind === 'sent');
  return { items, stop, pulse, sent };
}

function anEvent(with_: Partial<Parameters<Feed['accepted']>[0]> = {}): Parameters<Feed['accepted']>[0] {
  return { workspaceId: 1, channel: 'alerts', uuid: uuidOf(EVENT) ?? '', ...with_ };
}

function claimOf(clock: SimulatedClock, with_: Partial<PushEvent> = {}, route: Route = 'fcm'): Claim {
  const { links: _, ...event } = aPushEvent({
    publicId: EVENT,
    workspace: 'acme',
    channel: 'alerts',
    title: 'secret title',
    receivedAtMs: clock.wallMs() - 40,
    ...with_,
  });
  return {
    claimId: '1',
    order: 1,
    route,
    lane: 'standard',
    events: [{ eventId: 1, workspaceId: 1, channelId: 1, event, hadLinks: false, leftMs: 0 }],
    targets: Array.from({ length: 3 }, (_, deviceId) => aTarget({ deviceId })),
  };
}

function sentAs(...outcomes: readonly Outcome[]) {
  return outcomes.map((outcome, index) => ({ index, deviceId: index, outcome, fitted: false }));
}

test('The answers to a batch come as one item, alike ones counted, without any text of the event', async () => {
  const scene = aFeed();
  const { items, stop } = await watching(scene);
  scene.feed.sent(claimOf(scene.clock), sentAs(ACCEPTED, REJECTED, ACCEPTED));
  assert.equal(items, [
    {
      kind: 'sent',
      at: '2026-11-21T09:30:00.000+00:00',
      workspace: 'acme',
      channel: 'alerts',
      event: EVENT,
      route: 'fcm',
      after_ms: 40,
      outcomes: [
        { outcome: 'accepted', reason: null, count: 2 },
        { outcome: 'rejected', reason: 'BadTopic', count: 1 },
      ],
    },
  ]);
  stop();
});

test('A watcher that asks for the devices of outcomes gets their public ids, and null for one that was removed', async () => {
  const scene = aFeed();
  const { sent, stop } = await watching(scene, { devices: true });
  scene.feed.sent(claimOf(scene.clock), sentAs(ACCEPTED, REJECTED, ACCEPTED));
  await untilIs('the item', () => sent().length, 1);
  assert.equal(sent()[0]?.outcomes, [
    { outcome: 'accepted', reason: null, count: 2, device_ids: ['dev_a', 'dev_c'] },
    { outcome: 'rejected', reason: 'BadTopic', count: 1, device_ids: [null] },
  ]);
  stop();
});

test('A pulse says what happened since the last one, and how the routes and the queue stand', async () => {
  const scene = aFeed();
  const { pulse, stop } = await watching(scene);
  scene.feed.accepted(anEvent(), ['fcm']);
  scene.feed.accepted(anEvent({ workspaceId: 2 }), ['fcm']);
  scene.feed.sent(claimOf(scene.clock), sentAs(ACCEPTED, REJECTED, ACCEPTED));
  const first = await pulse();
  assert.equal([first.events, first.batches_in_flight, first.links_bytes], [2, 3, 600]);
  assert.equal(first.latency, { p50_ms: 45, p95_ms: 45, p99_ms: 45 });
  assert.equal(first.routes.slice(1), [
    {
      route: 'fcm',
      pause: { kind: 'unavailable', reason: 'Shutdown', for_ms: 3_000 },
      connections: 4,
      accepted: 2,
      errors: 1,
      waiting: 7,
      deferred: 2,
      oldest_ms: 5_000,
    },
  ]);
  const second = await pulse();
  assert.is(second.events, 0);
  assert.is(second.routes[1]?.accepted, 0);
  assert.ok(second.latency, 'latency is of the last minute');
  stop();
});

test('A watcher of one workspace sees only that', async () => {
  const scene = aFeed();
  const { pulse, sent, stop } = await watching(scene, { workspace: 'acme' });
  scene.feed.accepted(anEvent(), ['fcm']);
  scene.feed.accepted(anEvent({ workspaceId: 2 }), ['fcm']);
  scene.feed.sent(claimOf(scene.clock, { workspace: 'umbrella' }), sentAs(ACCEPTED));
  scene.feed.sent(claimOf(scene.clock), sentAs(ACCEPTED));
  assert.equal(valuesOf(sent(), 'workspace'), ['acme']);
  assert.is((await pulse()).events, 1);
  stop();
  assert.ok(isRefusal(await scene.feed.watch({ workspace: 'nowhere' }, () => true)));
});

test('A channel, a route and an event leave out all others before anything is sent', async () => {
  const scene = aFeed();
  const other = 'evt_01m7y7qp55ea087ggd7fpjkv28';
  const cases = [
    { watched: { channel: 'alerts' }, count: 3, events: 2, routes: 2 },
    { watched: { channel: 'alerts', workspace: 'acme' }, count: 3, events: 1, routes: 2 },
    { watched: { route: 'apns_production' }, count: 1, events: 1, routes: 1 },
    { watched: { event: other }, count: 1, events: 0, routes: 2 },
    { watched: { event: other, channel: 'billing' }, count: 0, events: 0, routes: 2 },
  ] as const;
  const watchers = await Promise.all(cases.map(({ watched }) => watching(scene, watched)));
  scene.feed.accepted(anEvent(), ['fcm']);
  scene.feed.accepted(anEvent({ workspaceId: 2 }), ['fcm']);
  scene.feed.accepted(anEvent({ channel: 'billing' }), ['apns_production']);
  scene.feed.sent(claimOf(scene.clock), sentAs(ACCEPTED));
  scene.feed.sent(claimOf(scene.clock, { publicId: other }), sentAs(ACCEPTED));
  scene.feed.sent(claimOf(scene.clock, {}, 'apns_production'), sentAs(REJECTED));
  scene.feed.sent(claimOf(scene.clock, { channel: 'billing' }), sentAs(ACCEPTED));
  const pulses = await Promise.all(watchers.map(({ pulse }) => pulse()));
  for (const [index, { watched, ...expected }] of cases.entries()) {
    const counts = { events: pulses[index]?.events, routes: pulses[index]?.routes.length };
    assert.equal({ count: watchers[index]?.sent().length, ...counts }, expected, JSON.stringify(watched));
  }
  for (const { stop } of watchers) stop();
});

test('Items that a slow watcher does not take are dropped, and counted in the next pulse that it takes', async () => {
  const scene = aFeed();
  let takes = false;
  const { pulse, sent, stop } = await watching(scene, {}, () => takes);
  for (let n = 0; n < 5; n += 1) scene.feed.sent(claimOf(scene.clock), sentAs(ACCEPTED));
  takes = true;
  assert.is((await pulse()).skipped, 5);
  assert.equal(sent(), []);
  stop();
});

test('Without a watcher nothing is looked at and nothing keeps the process alive', async () => {
  const scene = aFeed();
  scene.feed.sent(claimOf(scene.clock), sentAs(ACCEPTED));
  const { pulse, stop } = await watching(scene);
  await pulse();
  stop();
  const before = scene.looks();
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(scene.looks(), before);
});

test.run();
