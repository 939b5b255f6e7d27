import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { audience, backlog, claim, countsOf, post, START_MS, settle } from '../../../support/queue.ts';
import { type TemporaryStore, temporaryStore } from '../../../support/store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const TIMEOUT = { state: 'pending', reason: 'timeout', spent: true } as const;

const expiry = suite('expiry');

expiry('an event may be worth less time than the operator allows, and never gets more', () => {
  const store = temporaryStore({ ttlMs: 5 * MINUTE_MS });
  audience(store, { ios: 1 });
  for (const expiresInS of [60, 600, null]) post(store, { expiresInS });
  const lives = store.db.prepare('SELECT expires_at - received_at FROM event').pluck().all();
  assert.equal(lives, [MINUTE_MS, 5 * MINUTE_MS, 5 * MINUTE_MS]);
});

expiry('what came later and expires earlier is not sent late, and holds nothing up', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const [long, short] = [post(store), post(store, { expiresInS: 60 })];
  assert.equal(
    claim(store, { atMs: START_MS + MINUTE_MS }).flatMap(({ events }) => events.map(({ event }) => event.publicId)),
    [long],
  );
  assert.is(countsOf(store, short).expired, 1);
});

expiry('on a route that nothing is claimed from it expires in its own time, behind what lives longer', () => {
  const store = temporaryStore();
  audience(store, { ios: 2 });
  post(store);
  const fresh = post(store, { expiresInS: 60 });
  const deferred = post(store, { expiresInS: 120, urgency: 'time_sensitive' });
  for (const batch of claim(store, { lane: 'urgent' })) {
    settle(store, batch, { ...TIMEOUT, retryInMs: MINUTE_MS });
  }
  assert.equal(sweep(store, START_MS + MINUTE_MS), [fresh]);
  assert.equal(sweep(store, START_MS + 2 * MINUTE_MS), [deferred]);
  assert.equal(
    [fresh, deferred].map((publicId) => countsOf(store, publicId).expired),
    [2, 2],
  );
  assert.equal(sweep(store, START_MS + DAY_MS - 1), []);
});

expiry('so does what was claimed and given back', () => {
  const store = temporaryStore();
  audience(store, { ios: 3 });
  const publicId = post(store, { expiresInS: 60 });
  const [batch] = claim(store, { limit: 2 });
  assert.ok(batch);
  assert.equal(sweep(store, START_MS + MINUTE_MS), [], 'nobody knows yet what became of it');
  store.calls.releaseBatch({ claimId: batch.claimId });
  assert.equal(sweep(store, START_MS + MINUTE_MS), [publicId]);
  assert.is(countsOf(store, publicId).expired, 3);
  assert.is(store.countRows('fan_out'), 0);
});

expiry('or is claimed again once it has expired', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const publicId = post(store, { expiresInS: 60 });
  const [batch] = claim(store);
  assert.ok(batch);
  store.calls.releaseBatch({ claimId: batch.claimId });
  assert.equal(claim(store, { atMs: START_MS + MINUTE_MS }), []);
  assert.is(countsOf(store, publicId).expired, 1);
});

expiry('a retry that is out is left to its settlement, and the others of its event end', () => {
  const store = temporaryStore();
  audience(store, { ios: 3 });
  const publicId = post(store, { expiresInS: 60 });
  for (const batch of claim(store)) settle(store, batch, { ...TIMEOUT, retryInMs: 0 });
  const [out] = claim(store, { limit: 1 });
  assert.ok(out);
  const atMs = START_MS + MINUTE_MS;
  assert.equal(sweep(store, atMs), []);
  assert.equal([countsOf(store, publicId).expired, countsOf(store, publicId).pending], [2, 1]);
  settle(store, out, { ...TIMEOUT, retryInMs: 0 }, atMs);
  assert.equal(sweep(store, atMs), [publicId]);
});

expiry('however much has expired at once, it ends in steps', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  backlog(store, 1_000);
  const ends = (atMs: number) => store.calls.expireOverdue({ steadyMs: atMs, wallMs: atMs });
  const atMs = START_MS + DAY_MS;
  let steps = 1;
  let finished = 0;
  for (let step = ends(atMs); ; step = ends(atMs), steps += 1) {
    assert.ok(step.finished.length <= 200);
    finished += step.finished.length;
    if (!step.more) break;
  }
  assert.is(finished, 1_000);
  assert.is(steps, 6);
});

expiry('also the retries of a single event', () => {
  const store = temporaryStore();
  audience(store, { ios: 450 });
  const publicId = post(store, { expiresInS: 60 });
  for (const batch of claim(store)) settle(store, batch, { ...TIMEOUT, retryInMs: 0 });
  const atMs = START_MS + MINUTE_MS;
  const ended: number[] = [];
  while (store.calls.expireOverdue({ steadyMs: atMs, wallMs: atMs }).more)
    ended.push(countsOf(store, publicId).expired);
  assert.equal(ended, [200, 400]);
  assert.is(countsOf(store, publicId).expired, 450);
});

expiry('after a clock that was set back each event lives as long as a new one of its kind', () => {
  const store = temporaryStore();
  audience(store, { ios: 1 });
  const [long, short] = [post(store), post(store, { expiresInS: 60 })];
  const restarted = store.restart();
  const earlierMs = START_MS - 12 * 3_600_000;
  assert.equal(sweep(restarted, earlierMs), []);
  assert.equal(sweep(restarted, earlierMs + MINUTE_MS - 1), []);
  assert.equal(sweep(restarted, earlierMs + MINUTE_MS), [short]);
  assert.equal(sweep(restarted, earlierMs + DAY_MS), [long]);
});

expiry.run();

/** Answers the events that ended. */
function sweep({ calls }: TemporaryStore, atMs: number): readonly string[] {
  const swept = calls.expireOverdue({ steadyMs: atMs, wallMs: atMs });
  assert.is(swept.more, false);
  return swept.finished;
}
