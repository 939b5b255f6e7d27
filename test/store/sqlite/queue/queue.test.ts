import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { audience, claim, countsOf, post, START_MS, settle } from '../../../support/queue.ts';
import { temporaryStore } from '../../../support/store.ts';

const DAY_MS = 86_400_000;
const queue = suite('queue');

queue('an event is claimed once for each subscribed device, page by page', () => {
  const store = temporaryStore();
  audience(store, { ios: 25 });
  const publicId = post(store);
  const pages = claim(store, { batchSize: 10 });
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
    const [first, second, third] = claim(store, { batchSize: 10 });
    assert.ok(first && second && third);
    settle(store, second);
    const restarted = store.restart();
    const again = claim(restarted, { batchSize: 10 });
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
  const [batch] = claim(store, { batchSize: 3, limit: 3 });
  assert.ok(batch);
  store.calls.releaseBatch({ claimId: batch.claimId });
  const again = claim(store, { batchSize: 2 });
  assert.equal(
    again.map(({ targets }) => targets.length),
    [2, 2, 1],
  );
  for (const each of again) settle(store, each);
  assert.is(countsOf(store, publicId).accepted, 5);
});

queue('what is told of a claim that nobody holds any more changes nothing, and is no error', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const publicId = post(store);
  const [batch] = claim(store);
  assert.ok(batch);
  settle(store, batch);
  const restarted = store.restart();
  for (const { calls } of [store, restarted]) {
    const verdicts = [
      { index: 0, verdict: { state: 'failed', reason: 'x' }, fitted: false, linksLost: false },
    ] as const;
    assert.equal(calls.settleBatch({ claimId: batch.claimId, verdicts }), { finished: [] });
    assert.is(calls.releaseBatch({ claimId: batch.claimId }), null);
  }
  assert.equal([countsOf(store, publicId).accepted, countsOf(store, publicId).failed], [1, 0]);
});

queue('workspaces take turns, and inside a workspace its events do', () => {
  const store = temporaryStore();
  audience(store, { workspace: 'big', ios: 30 });
  audience(store, { workspace: 'small', ios: 2 });
  const large = post(store, { workspace: 'big' });
  const later = post(store, { workspace: 'big' });
  const other = post(store, { workspace: 'small' });
  const order = claim(store, { batchSize: 10, limit: 42 })
    .flatMap(({ events, targets }) => targets.map(({ event }) => events[event]?.event.publicId))
    .filter((publicId, index, all) => publicId !== all[index - 1]);
  assert.equal(order, [large, other, later, large, later]);
});

queue('an expired event is not sent late', () => {
  const store = temporaryStore({ ttlMs: DAY_MS });
  audience(store, { ios: 3 });
  const publicId = post(store);
  const [batch] = claim(store, { batchSize: 1, limit: 1 });
  assert.ok(batch);
  settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs: DAY_MS, spent: true });
  assert.equal(claim(store, { atMs: START_MS + DAY_MS }), []);
  assert.is(countsOf(store, publicId).expired, 3);
  assert.is(countsOf(store, publicId).pending, 0);
});

queue('a suspended workspace holds its queue, and its events still expire', () => {
  const store = temporaryStore({ ttlMs: DAY_MS });
  audience(store, { ios: 1 });
  const first = post(store);
  store.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' });
  assert.equal(claim(store), []);
  const second = post(store, { atMs: START_MS + DAY_MS });
  const atMs = START_MS + DAY_MS;
  const swept = store.calls.expireOverdue({ steadyMs: atMs, wallMs: atMs });
  assert.equal(swept, { finished: [first], more: false });
  store.calls.setWorkspaceStatus({ slug: 'acme', status: 'active' });
  assert.equal(
    claim(store, { atMs }).flatMap(({ events }) => events.map(({ event }) => event.publicId)),
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

function openFanOuts({ db }: ReturnType<typeof temporaryStore>): number {
  return Number(db.prepare('SELECT count(*) FROM fan_out').pluck().get());
}
