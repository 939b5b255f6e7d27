import * as assert from 'uvu/assert';
import { ADA, BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { claim, countsOf, settle } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import type { TemporaryStore } from '../../support/store.ts';
import { aDevice } from '../../support/workspace.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const { test, run } = conformance('devices that go while something is queued for them');

test('a device that was removed or unsubscribed before its push gets none: withdrawn', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2 } });
  const [, gone] = store.devices;
  const publicId = await store.post();
  await store.calls.removeDevice({ id: String(gone) });
  for (const batch of await claim(store)) await settle(store, batch);
  assert.equal(await claim(store), []);
  assert.is((await countsOf(store, publicId)).accepted, 1);
  assert.is((await countsOf(store, publicId)).withdrawn, 1);
  assert.is((await countsOf(store, publicId)).pending, 0);
});

test('a device that was removed while its push waited for a retry gets none: withdrawn', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const [device] = store.devices;
  const publicId = await store.post();
  const [batch] = await claim(store);
  assert.ok(batch);
  await settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  await store.calls.removeDevice({ id: String(device) });
  assert.equal(await claim(store), []);
  assert.is((await countsOf(store, publicId)).withdrawn, 1);
});

test('a token that moved to another user takes no push of the former along', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await store.post();
  const [batch] = await claim(store);
  assert.ok(batch);
  await settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  await store.join(BOB);
  const token = String(batch.targets[0]?.token);
  await store.addDevice({ environment: 'production', token }, BOB);
  assert.equal(await claim(store), []);
  assert.is((await countsOf(store, publicId)).withdrawn, 1);
});

test('a dead token makes its device inactive, and its other pushes end as unregistered', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const first = await store.post();
  const second = await store.post();
  const [batch, otherBatch] = await claim(store, { batchSize: 1 });
  assert.ok(batch && otherBatch);
  await settle(store, otherBatch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  const token = String(batch.targets[0]?.token);
  await settle(store, batch, { state: 'unregistered', reason: 'Unregistered', token, atMs: NOW_MS });
  assert.equal(await claim(store), []);
  assert.is((await countsOf(store, first)).unregistered, 1);
  assert.is((await countsOf(store, second)).unregistered, 1);
  const [device] = await devicesOf(store);
  assert.is(device?.status, 'inactive');
  assert.is(device?.inactive_reason, 'Unregistered');
});

test("a device that registered again after the provider's timestamp stays active", async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await store.post();
  const [batch] = await claim(store);
  const token = String(batch?.targets[0]?.token);
  assert.ok(batch);
  await settle(store, batch, { state: 'unregistered', reason: 'Unregistered', token, atMs: NOW_MS - 1 });
  assert.is((await devicesOf(store))[0]?.status, 'active');
  assert.is((await countsOf(store, publicId)).unregistered, 1);
});

test('a device that registered again after the claim stays active if the provider names no time', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  await store.post();
  await store.post();
  const [batch, later] = await claim(store, { batchSize: 1, limit: 1 });
  assert.ok(batch && !later);
  const token = String(batch.targets[0]?.token);
  const device = { workspace: 'acme', email: ADA, ...aDevice({ token }) };
  granted(await store.calls.addDevice({ ...device, wallMs: NOW_MS + 1 }));
  const dead = { state: 'unregistered', reason: 'UNREGISTERED', token, atMs: null } as const;
  await settle(store, batch, dead, NOW_MS + 60_000);
  assert.is((await devicesOf(store))[0]?.status, 'active');

  const [next] = await claim(store, { atMs: NOW_MS + 1 });
  assert.ok(next);
  await settle(store, next, dead, NOW_MS + 60_000);
  assert.is((await devicesOf(store))[0]?.status, 'inactive');
});

run();

async function devicesOf({ calls }: TemporaryStore) {
  const page = granted(await calls.listDevices({ workspace: 'acme', limit: 100 }));
  return page.devices;
}
