import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isRefusal } from '../../../src/store/calls.ts';
import { audience, claim, countsOf, post, START_MS, settle } from '../../support/queue.ts';
import { temporaryStore } from '../../support/store.ts';

const DAY_MS = 86_400_000;
const queue = suite('queue');

queue('an event is claimed once for each subscribed device, page by page', () => {
  const store = temporaryStore();
  audience(store, { ios: 25 });
  const publicId = post(store);
  const pages = claim(store, { pageSize: 10 });
  assert.equal(
    pages.map(({ targets }) => targets.length),
    [10, 10, 5],
  );
  assert.is(new Set(pages.flatMap(({ targets }) => targets.map(({ token }) => token))).size, 25);
  assert.equal(claim(store), []);
  for (const page of pages.toReversed()) settle(store, page);
  assert.is(countsOf(store, publicId).accepted, 25);
  assert.is(countsOf(store, publicId).pending, 0);
  assert.is(openFanOuts(store), 0);
});

queue('the event that has nothing left to send is named, once', () => {
  const store = temporaryStore();
  audience(store, { ios: 2, android: 1 });
  const publicId = post(store);
  const [ios] = claim(store);
  const [android] = claim(store, { route: 'fcm' });
  assert.ok(ios && android);
  assert.equal(settle(store, ios), []);
  assert.equal(settle(store, android), [publicId]);
});

queue('each route has its own way through the subscriptions', () => {
  const store = temporaryStore();
  audience(store, { ios: 2, sandbox: 3, android: 4 });
  post(store);
  const targets = (['apns_production', 'apns_sandbox', 'fcm'] as const).map(
    (route) => claim(store, { route }).flatMap((batch) => batch.targets).length,
  );
  assert.equal(targets, [2, 3, 4]);
});

queue('who subscribes after the acceptance gets nothing of it', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const publicId = post(store);
  const later = { workspace: 'acme', email: 'acme@example.com', platform: 'ios', environment: 'production' } as const;
  store.calls.addDevice({ ...later, token: 'f'.repeat(64), subscribe: ['alerts'], wallMs: START_MS });
  const batches = claim(store);
  assert.is(batches.flatMap(({ targets }) => targets).length, 1);
  for (const batch of batches) settle(store, batch);
  assert.is(countsOf(store, publicId).pending, 0);
});

queue(
  'a page that was claimed and never settled is handed out again after a restart, without what was settled beyond it',
  () => {
    const store = temporaryStore();
    audience(store, { ios: 30 });
    const publicId = post(store);
    const [first, second, third] = claim(store, { pageSize: 10 });
    assert.ok(first && second && third);
    settle(store, second);
    const restarted = store.restart();
    const again = claim(restarted, { pageSize: 10 });
    const devices = again.flatMap(({ targets }) => targets.map(({ deviceId }) => deviceId));
    const open = [...first.targets, ...third.targets].map(({ deviceId }) => deviceId);
    assert.equal(devices, open);
    for (const batch of again) settle(restarted, batch);
    assert.is(countsOf(restarted, publicId).accepted, 30);
    assert.is(openFanOuts(restarted), 0);
  },
);

queue('a batch that was given back untouched is handed out again, and nothing was counted', () => {
  const store = temporaryStore();
  audience(store, { ios: 5 });
  const publicId = post(store);
  const [batch] = claim(store, { pageSize: 3, limit: 1 });
  assert.ok(batch);
  store.calls.releaseBatch({ batchId: batch.batchId });
  const again = claim(store, { pageSize: 2 });
  assert.equal(
    again.map(({ targets }) => targets.length),
    [2, 1, 2],
  );
  for (const each of again) settle(store, each);
  assert.is(countsOf(store, publicId).accepted, 5);
});

queue('a deferred push waits until it is due, and remembers how often it was tried', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const publicId = post(store);
  const [first] = claim(store);
  assert.ok(first);
  const dueAtSteadyMs = START_MS + 5_000;
  settle(store, first, { state: 'pending', reason: 'timeout', dueAtSteadyMs, spent: true });
  assert.is(countsOf(store, publicId).pending, 1);
  assert.equal(claim(store, { atMs: dueAtSteadyMs - 1 }), []);
  const [retry] = claim(store, { atMs: dueAtSteadyMs });
  assert.is(retry?.targets[0]?.attempts, 1);
  assert.equal(claim(store, { atMs: dueAtSteadyMs }), [], 'claimed once');
  settle(store, retry as NonNullable<typeof retry>);
  assert.is(countsOf(store, publicId).accepted, 1);
});

queue('a claim tells when the next deferred push falls due', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  post(store);
  const [first] = claim(store);
  assert.ok(first);
  const dueAtSteadyMs = START_MS + 5_000;
  settle(store, first, { state: 'pending', reason: 'timeout', dueAtSteadyMs, spent: true });
  const lane = { route: 'apns_production', lane: 'standard', limit: 1, pageSize: 1 } as const;
  const asked = store.calls.claimBatches({ ...lane, steadyMs: START_MS, wallMs: START_MS });
  assert.is(asked.nextDueSteadyMs, dueAtSteadyMs);
});

queue('what a paused route sends back spends no try', () => {
  const store = temporaryStore();
  audience(store, { ios: 2 });
  post(store);
  const [batch] = claim(store);
  assert.ok(batch);
  settle(store, batch, { state: 'pending', reason: 'ECONNREFUSED', dueAtSteadyMs: START_MS, spent: false });
  const [again] = claim(store);
  assert.equal(
    again?.targets.map(({ attempts }) => attempts),
    [0, 0],
  );
});

queue('workspaces take turns, and inside a workspace its events do', () => {
  const store = temporaryStore();
  audience(store, { workspace: 'big', ios: 30 });
  audience(store, { workspace: 'small', ios: 2 });
  const large = post(store, { workspace: 'big' });
  const later = post(store, { workspace: 'big' });
  const other = post(store, { workspace: 'small' });
  const order = claim(store, { pageSize: 10, limit: 5 }).map(({ event }) => event.publicId);
  assert.equal(order, [large, other, later, large, later]);
});

queue('retries take turns with fresh pushes', () => {
  const store = temporaryStore();
  audience(store, { ios: 4 });
  const old = post(store);
  for (const batch of claim(store, { pageSize: 1 })) {
    settle(store, batch, { state: 'pending', reason: 'timeout', dueAtSteadyMs: START_MS, spent: true });
  }
  const fresh = post(store);
  const order = claim(store, { pageSize: 1, limit: 4 }).map(({ event }) => event.publicId);
  assert.equal(order.filter((publicId) => publicId === old).length, 2);
  assert.equal(order.filter((publicId) => publicId === fresh).length, 2);
});

queue('a device that was removed or unsubscribed before its push gets none: withdrawn', () => {
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

queue('a device that was removed while its push waited for a retry gets none: withdrawn', () => {
  const store = temporaryStore();
  const [device] = audience(store, { ios: 1 });
  const publicId = post(store);
  const [batch] = claim(store);
  assert.ok(batch);
  settle(store, batch, { state: 'pending', reason: 'timeout', dueAtSteadyMs: START_MS, spent: true });
  store.calls.removeDevice({ id: String(device) });
  assert.equal(claim(store), []);
  assert.is(countsOf(store, publicId).withdrawn, 1);
});

queue('a token that moved to another user takes no push of the former along', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const publicId = post(store);
  const [batch] = claim(store);
  assert.ok(batch);
  settle(store, batch, { state: 'pending', reason: 'timeout', dueAtSteadyMs: START_MS, spent: true });
  const other = { workspace: 'acme', email: 'other@example.com' };
  store.calls.addMember({ ...other, role: 'member', wallMs: START_MS });
  const token = String(batch.targets[0]?.token);
  const moved = { ...other, platform: 'ios', environment: 'production', token, subscribe: ['alerts'] } as const;
  store.calls.addDevice({ ...moved, wallMs: START_MS });
  assert.equal(claim(store), []);
  assert.is(countsOf(store, publicId).withdrawn, 1);
});

queue('a dead token makes its device inactive, and its other pushes end as unregistered', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const first = post(store);
  const second = post(store);
  const [one, two] = claim(store);
  assert.ok(one && two);
  settle(store, two, { state: 'pending', reason: 'timeout', dueAtSteadyMs: START_MS, spent: true });
  const token = String(one.targets[0]?.token);
  settle(store, one, { state: 'unregistered', reason: 'Unregistered', token, atMs: START_MS });
  assert.equal(claim(store), []);
  assert.is(countsOf(store, first).unregistered, 1);
  assert.is(countsOf(store, second).unregistered, 1);
  const [device] = devicesOf(store);
  assert.is(device?.status, 'inactive');
  assert.is(device?.inactive_reason, 'Unregistered');
});

queue("a device that registered again after the provider's timestamp stays active", () => {
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

queue('an expired event is not sent late', () => {
  const store = temporaryStore({ ttlMs: DAY_MS });
  audience(store, { ios: 3 });
  const publicId = post(store);
  const [batch] = claim(store, { pageSize: 1, limit: 1 });
  assert.ok(batch);
  settle(store, batch, { state: 'pending', reason: 'timeout', dueAtSteadyMs: START_MS + DAY_MS, spent: true });
  assert.equal(claim(store, { atMs: START_MS + DAY_MS }), []);
  assert.is(countsOf(store, publicId).expired, 3);
  assert.is(countsOf(store, publicId).pending, 0);
});

queue('a suspended workspace holds its queue, and its events still expire', () => {
  const store = temporaryStore({ ttlMs: DAY_MS });
  audience(store, { ios: 1 });
  const first = post(store);
  const second = post(store, { atMs: START_MS + DAY_MS });
  store.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' });
  assert.equal(claim(store), []);
  const atMs = START_MS + DAY_MS;
  const swept = store.calls.expireOverdue({ steadyMs: atMs, wallMs: atMs });
  assert.equal(swept, { finished: [first], more: false });
  store.calls.setWorkspaceStatus({ slug: 'acme', status: 'active' });
  assert.equal(
    claim(store, { atMs }).map(({ event }) => event.publicId),
    [second],
  );
});

queue('a settlement that could not be written leaves the batch claimed, and can be made again', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const publicId = post(store);
  const [batch] = claim(store);
  assert.ok(batch);
  store.db.exec(`CREATE TRIGGER full BEFORE INSERT ON delivery BEGIN SELECT raise(ABORT, 'no'); END`);
  assert.throws(() => settle(store, batch));
  store.db.exec('DROP TRIGGER full');
  assert.equal(claim(store), []);
  settle(store, batch);
  assert.is(countsOf(store, publicId).accepted, 1);
  assert.is(openFanOuts(store), 0);
});

queue.run();

type Store = ReturnType<typeof temporaryStore>;

function openFanOuts({ db }: Store): number {
  return Number(db.prepare('SELECT count(*) FROM fan_out').pluck().get());
}

function devicesOf({ calls }: Store) {
  const page = calls.listDevices({ workspace: 'acme', limit: 100 });
  if (isRefusal(page)) throw new Error(page.message);
  return page.devices;
}
