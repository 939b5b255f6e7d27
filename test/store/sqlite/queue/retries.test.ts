import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { audience, claim, countsOf, post, START_MS, settle } from '../../../support/queue.ts';
import { temporaryStore } from '../../../support/store.ts';

const retries = suite('retries');

retries('a deferred push waits until it is due, and remembers how often it was tried', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const publicId = post(store);
  const [first] = claim(store);
  assert.ok(first);
  const retryInMs = 5_000;
  settle(store, first, { state: 'pending', reason: 'timeout', retryInMs, spent: true });
  assert.is(countsOf(store, publicId).pending, 1);
  assert.equal(claim(store, { atMs: START_MS + retryInMs - 1 }), []);
  const [retry] = claim(store, { atMs: START_MS + retryInMs });
  assert.is(retry?.targets[0]?.attempts, 1);
  assert.equal(claim(store, { atMs: START_MS + retryInMs }), [], 'claimed once');
  settle(store, retry as NonNullable<typeof retry>);
  assert.is(countsOf(store, publicId).accepted, 1);
});

retries('a claim tells when the next deferred push falls due', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  post(store);
  const [first] = claim(store);
  assert.ok(first);
  const retryInMs = 5_000;
  settle(store, first, { state: 'pending', reason: 'timeout', retryInMs, spent: true });
  const lane = { route: 'apns_production', lane: 'standard', limit: 1, batchSize: 1 } as const;
  const asked = store.calls.claimBatches({ ...lane, steadyMs: START_MS, wallMs: START_MS });
  assert.is(asked.nextDueInMs, retryInMs);
});

retries('what a paused route sends back spends no try', () => {
  const store = temporaryStore();
  audience(store, { ios: 2 });
  post(store);
  const [batch] = claim(store);
  assert.ok(batch);
  settle(store, batch, { state: 'pending', reason: 'ECONNREFUSED', retryInMs: 0, spent: false });
  const [again] = claim(store);
  assert.equal(
    again?.targets.map(({ attempts }) => attempts),
    [0, 0],
  );
});

retries('retries take turns with fresh pushes', () => {
  const store = temporaryStore();
  audience(store, { ios: 4 });
  const old = post(store);
  for (const batch of claim(store, { batchSize: 1 })) {
    settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  }
  const fresh = post(store);
  const order = claim(store, { batchSize: 1, limit: 4 }).map(({ events }) => events[0]?.event.publicId);
  assert.equal(order.filter((publicId) => publicId === old).length, 2);
  assert.equal(order.filter((publicId) => publicId === fresh).length, 2);
});

retries.run();
