import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { audience, claim, countsOf, post, START_MS, settle } from '../../../support/queue.ts';
import { type TemporaryStore, temporaryStore } from '../../../support/store.ts';
import { granted, refused } from '../../../support/world.ts';

const TIMEOUT = { state: 'pending', reason: 'timeout', retryInMs: 60_000, spent: true } as const;
const CALLED_OFF = { state: 'pending', reason: 'recalled', retryInMs: 0, spent: false } as const;
const time = { wallMs: START_MS, steadyMs: START_MS };
const test = suite('cancelling an event');

test('what waits is withdrawn at once, on all routes, and what was accepted stays', () => {
  const store = temporaryStore();
  audience(store, { ios: 3, android: 2 });
  const publicId = post(store);
  const [batch] = claim(store, { limit: 1 });
  if (batch) settle(store, batch);
  const { event, ...answer } = granted(store.calls.cancelEvent({ publicId, ...time }));
  assert.equal(answer, { isNew: true, waiting: 4, withdrawn: 4, done: true });
  assert.equal([event.deliveries.accepted, event.deliveries.withdrawn, event.deliveries.pending], [1, 4, 0]);
  assert.equal([store.countRows('fan_out'), claim(store).length, claim(store, { route: 'fcm' }).length], [0, 0, 0]);
  assert.is(reasonsOf(store).cancelled, 4);
});

test('what waits for another try is withdrawn as well, step by step where it is much', () => {
  const store = temporaryStore();
  audience(store, { ios: 500 });
  const publicId = post(store);
  for (const batch of claim(store)) settle(store, batch, TIMEOUT);
  const steps = [granted(store.calls.cancelEvent({ publicId, ...time })).withdrawn];
  for (let done = false; !done; ) {
    const step = granted(store.calls.continueCancel({ publicId, ...time }));
    steps.push(step.withdrawn);
    ({ done } = step);
  }
  assert.equal(steps, [200, 200, 100]);
  assert.equal([countsOf(store, publicId).withdrawn, countsOf(store, publicId).pending], [500, 0]);
});

test('after the first step nothing is sent any more, also after a crash, and the rest ends by itself', () => {
  const store = temporaryStore();
  audience(store, { ios: 500 });
  const publicId = post(store);
  for (const batch of claim(store)) settle(store, batch, TIMEOUT);
  granted(store.calls.cancelEvent({ publicId, ...time }));
  const after = store.restart();
  assert.equal(claim(after, { atMs: START_MS + 60_000 }), []);
  for (let more = true; more; ) ({ more } = after.calls.expireOverdue(time));
  assert.equal([countsOf(after, publicId).withdrawn, countsOf(after, publicId).expired], [500, 0]);
  assert.equal(reasonsOf(after), { cancelled: 500, timeout: 500 });
});

test('what is handed out is called back, and ends as withdrawn unless it was sent', () => {
  const store = temporaryStore();
  audience(store, { ios: 2 });
  const [publicId, other] = [post(store), post(store)];
  const batches = claim(store, { batchSize: 2 });
  const { event, withdrawn, done } = granted(store.calls.cancelEvent({ publicId, ...time }));
  assert.equal([event.deliveries.pending, withdrawn, done], [2, 0, true]);
  assert.equal(
    batches.map(({ recalls }) => [...recalls]),
    [
      [1, 1],
      [0, 0],
    ],
  );
  for (const batch of batches) {
    const verdicts = batch.targets.map((_, index) => ({
      index,
      verdict: batch.recalls[index] && index === 0 ? CALLED_OFF : ({ state: 'accepted' } as const),
      fitted: false,
      linksLost: false,
    }));
    store.calls.settleBatch({ claimId: batch.claimId, verdicts, ...time });
  }
  assert.equal(claim(store), []);
  assert.equal([countsOf(store, publicId).accepted, countsOf(store, publicId).withdrawn], [1, 1]);
  assert.is(countsOf(store, other).accepted, 2);
});

test('a batch that was given back is handed out to nobody', () => {
  const store = temporaryStore();
  audience(store, { ios: 2 });
  const publicId = post(store);
  const [batch] = claim(store);
  granted(store.calls.cancelEvent({ publicId, ...time }));
  store.calls.releaseBatch({ claimId: batch?.claimId ?? '' });
  assert.equal(claim(store), []);
  assert.is(countsOf(store, publicId).withdrawn, 2);
});

test('what is held because its device is a suspect is withdrawn, too', () => {
  const store = temporaryStore();
  audience(store, { ios: 2 });
  const publicId = post(store);
  const held = {
    state: 'held',
    reason: 'BadDeviceToken',
    token: 'x',
    retryInMs: 60_000,
    spent: true,
  } as const;
  for (const batch of claim(store)) settle(store, batch, held);
  const { withdrawn, event } = granted(store.calls.cancelEvent({ publicId, ...time }));
  assert.equal([withdrawn, event.deliveries.pending], [2, 0]);
});

test('the queue of a suspended workspace is withdrawn, too', () => {
  const store = temporaryStore();
  audience(store, { ios: 2 });
  const publicId = post(store);
  granted(store.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  assert.is(granted(store.calls.cancelEvent({ publicId, ...time })).withdrawn, 2);
});

test('an event of which nothing is left is not marked, and one that is cancelled again stays as it is', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const done = post(store);
  for (const batch of claim(store)) settle(store, batch);
  const { isNew, withdrawn } = granted(store.calls.cancelEvent({ publicId: done, ...time }));
  assert.equal([isNew, withdrawn, cancelledAt(store, done)], [false, 0, null]);
  const waiting = post(store);
  granted(store.calls.cancelEvent({ publicId: waiting, ...time }));
  const again = granted(store.calls.cancelEvent({ publicId: waiting, wallMs: START_MS + 1, steadyMs: START_MS + 1 }));
  assert.equal([again.isNew, again.withdrawn], [false, 0]);
  assert.is(cancelledAt(store, waiting), '2026-11-21T09:30:00.000+00:00');
});

test('a cancellation that could not be written changes nothing and calls nothing back', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const publicId = post(store);
  const [batch] = claim(store);
  store.db.exec(`CREATE TRIGGER full AFTER UPDATE ON event BEGIN SELECT raise(ABORT, 'no'); END`);
  assert.throws(() => store.calls.cancelEvent({ publicId, ...time }));
  store.db.exec('DROP TRIGGER full');
  assert.equal([cancelledAt(store, publicId), [...(batch?.recalls ?? [])]], [null, [0]]);
  if (batch) settle(store, batch);
  assert.is(countsOf(store, publicId).accepted, 1);
});

test('there must be such an event', () => {
  const store = temporaryStore();
  for (const publicId of ['evt_1', 'evt_01k9z3v5m8q2w4e6r8t0y2a4c6']) {
    assert.is(refused(store.calls.cancelEvent({ publicId, ...time })).refused, 'not_found');
  }
});

test.run();

function cancelledAt({ calls }: TemporaryStore, publicId: string): string | null {
  return granted(calls.showEvent({ publicId, limit: 1 })).event.cancelled_at;
}

/** How often each reason was counted. */
function reasonsOf({ calls }: TemporaryStore): Readonly<Record<string, number>> {
  const { reasons } = granted(calls.stats({ sinceMs: START_MS, wallMs: START_MS }));
  return Object.fromEntries(
    [...Map.groupBy(reasons, ({ reason }) => reason)].map(([reason, its]) => [
      reason,
      its.reduce((sum, { count }) => sum + count, 0),
    ]),
  );
}
