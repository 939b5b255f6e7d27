import * as assert from 'uvu/assert';
import { assertEach } from '../../support/assert-each.ts';
import { BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { claim, countsOf, settle } from '../../support/queue.ts';
import { fails, type TemporaryStore } from '../../support/store.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const DAY_MS = 86_400_000;
const { test, onSqlite, run } = conformance('queue');

test('an event is claimed once for each subscribed device, page by page', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 25 } });
  const publicId = await store.post();
  const pages = await claim(store, { batchSize: 10 });
  assertEach(pages, ({ targets }) => targets.length, [10, 10, 5]);
  assert.is(new Set(pages.flatMap(({ targets }) => targets.map(({ token }) => token))).size, 25);
  assert.equal(await claim(store), []);
  for (const page of pages.toReversed()) await settle(store, page);
  assert.is((await countsOf(store, publicId)).accepted, 25);
  assert.is((await countsOf(store, publicId)).pending, 0);
  assert.is(await openFanOuts(store), 0);
});

test('the event that has nothing left to send is named, once', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2, android: 1 } });
  const publicId = await store.post();
  const [ios] = await claim(store);
  const [android] = await claim(store, { route: 'fcm' });
  assert.ok(ios && android);
  assert.equal(await settle(store, ios), []);
  assert.equal(await settle(store, android), [publicId]);
});

test('each route has its own way through the subscriptions', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2, sandbox: 3, android: 4 } });
  await store.post();
  const targets = await Promise.all(
    (['apns_production', 'apns_sandbox', 'fcm'] as const).map(
      async (route) => (await claim(store, { route })).flatMap((batch) => batch.targets).length,
    ),
  );
  assert.equal(targets, [2, 3, 4]);
});

test('probed pushes that were given back are claimed again, if later subscriptions are on other routes', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 3, android: 1 } });
  await store.post();
  for (const batch of await claim(store)) await store.calls.releaseBatch({ claimId: batch.claimId });
  const probed: number[] = [];
  for (let tries = 0; tries < 8; tries += 1) {
    for (const { claimId, targets } of await claim(store, { limit: 1 })) {
      probed.push(targets.length);
      await store.calls.releaseBatch({ claimId });
    }
  }
  assert.equal(probed, Array(8).fill(1));
  assert.is((await claim(store)).flatMap(({ targets }) => targets).length, 3);
});

test('a subscriber after the acceptance gets nothing of it', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await store.post();
  await store.addDevice({ environment: 'production', token: 'f'.repeat(64) });
  const batches = await claim(store);
  assert.is(batches.flatMap(({ targets }) => targets).length, 1);
  for (const batch of batches) await settle(store, batch);
  assert.is((await countsOf(store, publicId)).pending, 0);
});

test('a page that was claimed and never settled is handed out again after a restart, without what was settled beyond it', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 30 } });
  const publicId = await store.post();
  const [first, second, third] = await claim(store, { batchSize: 10 });
  assert.ok(first && second && third);
  await settle(store, second);
  const restarted = await store.restart();
  const again = await claim(restarted, { batchSize: 10 });
  const devices = again.flatMap(({ targets }) => targets.map(({ deviceId }) => deviceId));
  const open = [...first.targets, ...third.targets].map(({ deviceId }) => deviceId);
  assert.equal(devices, open);
  for (const batch of again) await settle(restarted, batch);
  assert.is((await countsOf(restarted, publicId)).accepted, 30);
  assert.is(await openFanOuts(restarted), 0);
});

test('a batch that was given back untouched is handed out again, and nothing was counted', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 5 } });
  const publicId = await store.post();
  const [batch] = await claim(store, { batchSize: 3, limit: 3 });
  assert.ok(batch);
  await store.calls.releaseBatch({ claimId: batch.claimId });
  const again = await claim(store, { batchSize: 2 });
  assertEach(again, ({ targets }) => targets.length, [2, 2, 1]);
  for (const claim of again) await settle(store, claim);
  assert.is((await countsOf(store, publicId)).accepted, 5);
});

test('a report on a claim that no node holds any more changes nothing, and is no error', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await store.post();
  const [batch] = await claim(store);
  assert.ok(batch);
  await settle(store, batch);
  const { claimId } = batch;
  const verdicts = [{ index: 0, verdict: { state: 'failed', reason: 'x' }, fitted: false, linksLost: false }] as const;
  const tellOnceMore = async ({ calls }: TemporaryStore) => {
    assert.equal(await calls.settleBatch({ claimId, verdicts }), { finished: [] });
    assert.is(await calls.releaseBatch({ claimId }), null);
  };
  await tellOnceMore(store);
  const restarted = await store.restart();
  await tellOnceMore(restarted);
  const { accepted, failed } = await countsOf(restarted, publicId);
  assert.equal([accepted, failed], [1, 0]);
});

test('workspaces take turns, and inside a workspace its events do', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 30 } });
  const small = await store.addWorkspace('umbrella', { channels: ['alerts'], owner: BOB, devices: { ios: 2 } });
  const large = await store.post();
  const later = await store.post();
  const other = (await small.accept()).event.public_id;
  const order = (await claim(store, { batchSize: 10, limit: 42 }))
    .flatMap(({ events, targets }) => targets.map(({ event }) => events[event]?.event.publicId))
    .filter((publicId, index, all) => publicId !== all[index - 1]);
  assert.equal(order, [large, other, later, large, later]);
});

test('an expired event is not sent late', async (engine) => {
  const store = await aWorld({ engine, ttlMs: DAY_MS, devices: { ios: 3 } });
  const publicId = await store.post();
  const [batch] = await claim(store, { batchSize: 1, limit: 1 });
  assert.ok(batch);
  await settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs: DAY_MS, spent: true });
  assert.equal(await claim(store, { atMs: NOW_MS + DAY_MS }), []);
  assert.is((await countsOf(store, publicId)).expired, 3);
  assert.is((await countsOf(store, publicId)).pending, 0);
});

test('a suspended workspace holds its queue, and its events still expire', async (engine) => {
  const store = await aWorld({ engine, ttlMs: DAY_MS, devices: { ios: 1 } });
  const first = await store.post();
  await store.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' });
  assert.equal(await claim(store), []);
  const second = await store.post({ wallMs: NOW_MS + DAY_MS });
  const atMs = NOW_MS + DAY_MS;
  const swept = await store.calls.expireOverdue({ steadyMs: atMs, wallMs: atMs });
  assert.equal(swept, { finished: [first], more: false });
  await store.calls.setWorkspaceStatus({ slug: 'acme', status: 'active' });
  assert.equal(
    (await claim(store, { atMs })).flatMap(({ events }) => events.map(({ event }) => event.publicId)),
    [second],
  );
});

onSqlite('a settlement that could not be written leaves the batch claimed, and can be made again', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  const publicId = await store.post();
  const [batch] = await claim(store);
  assert.ok(batch);
  store.db.exec(`CREATE TRIGGER full BEFORE INSERT ON delivery BEGIN SELECT raise(ABORT, 'no'); END`);
  await fails(settle(store, batch));
  store.db.exec('DROP TRIGGER full');
  assert.equal(await claim(store), []);
  await settle(store, batch);
  assert.is((await countsOf(store, publicId)).accepted, 1);
  assert.is(await openFanOuts(store), 0);
});

run();

function openFanOuts({ countRows }: TemporaryStore): Promise<number> {
  return countRows('fan_out');
}
