import * as assert from 'uvu/assert';
import { assertEach } from '../../support/assert-each.ts';
import { conformance } from '../../support/engines.ts';
import { claim, countsOf, settle } from '../../support/queue.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const { test, run } = conformance('retries');

test('a deferred push waits until it is due, and remembers how often it was tried', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await store.post();
  const [first] = await claim(store);
  assert.ok(first);
  const retryInMs = 5_000;
  await settle(store, first, { state: 'pending', reason: 'timeout', retryInMs, spent: true });
  assert.is((await countsOf(store, publicId)).pending, 1);
  assert.equal(await claim(store, { atMs: NOW_MS + retryInMs - 1 }), []);
  const [retry] = await claim(store, { atMs: NOW_MS + retryInMs });
  assert.is(retry?.targets[0]?.attempts, 1);
  assert.equal(await claim(store, { atMs: NOW_MS + retryInMs }), [], 'claimed once');
  await settle(store, retry as NonNullable<typeof retry>);
  assert.is((await countsOf(store, publicId)).accepted, 1);
});

test('a claim says when the next deferred push falls due', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  await store.post();
  const [first] = await claim(store);
  assert.ok(first);
  const retryInMs = 5_000;
  await settle(store, first, { state: 'pending', reason: 'timeout', retryInMs, spent: true });
  const lane = { route: 'apns_production', lane: 'standard', limit: 1, batchSize: 1 } as const;
  const asked = await store.calls.claimBatches(lane);
  assert.is(asked.nextDueInMs, retryInMs);
});

test('a push returned by a paused route spends no try', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2 } });
  await store.post();
  const [batch] = await claim(store);
  assert.ok(batch);
  await settle(store, batch, { state: 'pending', reason: 'ECONNREFUSED', retryInMs: 0, spent: false });
  const [again] = await claim(store);
  assertEach(again?.targets, ({ attempts }) => attempts, [0, 0]);
});

test('retries take turns with fresh pushes', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 4 } });
  const old = await store.post();
  for (const batch of await claim(store, { batchSize: 1 })) {
    await settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  }
  const fresh = await store.post();
  const order = (await claim(store, { batchSize: 1, limit: 4 })).map(({ events }) => events[0]?.event.publicId);
  assert.equal(order.filter((publicId) => publicId === old).length, 2);
  assert.equal(order.filter((publicId) => publicId === fresh).length, 2);
});

run();
