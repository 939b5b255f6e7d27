import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isRefusal } from '../../../../src/store/calls.ts';
import { audience, claim, countsOf, post, START_MS, settle } from '../../../support/queue.ts';
import { temporaryStore } from '../../../support/store.ts';

const departures = suite('devices that go while something is queued for them');

departures('a device that was removed or unsubscribed before its push gets none: withdrawn', () => {
  const store = temporaryStore();
  const [, gone] = audience(store, { ios: 2 });
  const publicId = post(store);
  store.calls.removeDevice({ id: String(gone) });
  for (const batch of claim(store)) settle(store, batch);
  assert.equal(claim(store), []);
  assert.is(countsOf(store, publicId).accepted, 1);
  assert.is(countsOf(store, publicId).withdrawn, 1);
  assert.is(countsOf(store, publicId).pending, 0);
});

departures('a device that was removed while its push waited for a retry gets none: withdrawn', () => {
  const store = temporaryStore();
  const [device] = audience(store, { ios: 1 });
  const publicId = post(store);
  const [batch] = claim(store);
  assert.ok(batch);
  settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  store.calls.removeDevice({ id: String(device) });
  assert.equal(claim(store), []);
  assert.is(countsOf(store, publicId).withdrawn, 1);
});

departures('a token that moved to another user takes no push of the former along', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const publicId = post(store);
  const [batch] = claim(store);
  assert.ok(batch);
  settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  const other = { workspace: 'acme', email: 'other@example.com' };
  store.calls.addMember({ ...other, role: 'member', wallMs: START_MS });
  const token = String(batch.targets[0]?.token);
  const moved = { ...other, platform: 'ios', environment: 'production', token, subscribe: ['alerts'] } as const;
  store.calls.addDevice({ ...moved, wallMs: START_MS });
  assert.equal(claim(store), []);
  assert.is(countsOf(store, publicId).withdrawn, 1);
});

departures('a dead token makes its device inactive, and its other pushes end as unregistered', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const first = post(store);
  const second = post(store);
  const [one, two] = claim(store, { batchSize: 1 });
  assert.ok(one && two);
  settle(store, two, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  const token = String(one.targets[0]?.token);
  settle(store, one, { state: 'unregistered', reason: 'Unregistered', token, atMs: START_MS });
  assert.equal(claim(store), []);
  assert.is(countsOf(store, first).unregistered, 1);
  assert.is(countsOf(store, second).unregistered, 1);
  const [device] = devicesOf(store);
  assert.is(device?.status, 'inactive');
  assert.is(device?.inactive_reason, 'Unregistered');
});

departures("a device that registered again after the provider's timestamp stays active", () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const publicId = post(store);
  const [batch] = claim(store);
  const token = String(batch?.targets[0]?.token);
  assert.ok(batch);
  settle(store, batch, { state: 'unregistered', reason: 'Unregistered', token, atMs: START_MS - 1 });
  assert.is(devicesOf(store)[0]?.status, 'active');
  assert.is(countsOf(store, publicId).unregistered, 1);
});

departures.run();

function devicesOf({ calls }: ReturnType<typeof temporaryStore>) {
  const page = calls.listDevices({ workspace: 'acme', limit: 100 });
  if (isRefusal(page)) throw new Error(page.message);
  return page.devices;
}
