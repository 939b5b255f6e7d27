import * as assert from 'uvu/assert';
import { conformance } from '../../../support/engines.ts';
import { audience, claim, countsOf, post, START_MS, settle } from '../../../support/queue.ts';
import { temporaryStore } from '../../../support/store.ts';

const retries = conformance('retries');

retries('a deferred push waits until it is due, and remembers how often it was tried', async ({ engine }) => {
  const store = await temporaryStore({ engine });
  await audience(store, { ios: 1 });
  const publicId = await post(store);
  const [first] = await claim(store);
  assert.ok(first);
  const retryInMs = 5_000;
  await settle(store, first, { state: 'pending', reason: 'timeout', retryInMs, spent: true });
  assert.is((await countsOf(store, publicId)).pending, 1);
  assert.equal(await claim(store, { atMs: START_MS + retryInMs - 1 }), []);
  const [retry] = await claim(store, { atMs: START_MS + retryInMs });
  assert.is(retry?.targets[0]?.attempts, 1);
  assert.equal(await claim(store, { atMs: START_MS + retryInMs }), [], 'claimed once');
  await settle(store, retry as NonNullable<typeof retry>);
  assert.is((await countsOf(store, publicId)).accepted, 1);
});

retries('a claim tells when the next deferred push falls due', async ({ engine }) => {
  const store = await temporaryStore({ engine });
  await audience(store, { ios: 1 });
  await post(store);
  const [first] = await claim(store);
  assert.ok(first);
  const retryInMs = 5_000;
  await settle(store, first, { state: 'pending', reason: 'timeout', retryInMs, spent: true });
  const lane = { route: 'apns_production', lane: 'standard', limit: 1, batchSize: 1 } as const;
  const asked = await store.calls.claimBatches({ ...lane, steadyMs: START_MS, wallMs: START_MS });
  assert.is(asked.nextDueInMs, retryInMs);
});

retries('what a paused route sends back spends no try', async ({ engine }) => {
  const store = await temporaryStore({ engine });
  await audience(store, { ios: 2 });
  await post(store);
  const [batch] = await claim(store);
  assert.ok(batch);
  await settle(store, batch, { state: 'pending', reason: 'ECONNREFUSED', retryInMs: 0, spent: false });
  const [again] = await claim(store);
  assert.equal(
    again?.targets.map(({ attempts }) => attempts),
    [0, 0],
  );
});

retries('retries take turns with fresh pushes', async ({ engine }) => {
  const store = await temporaryStore({ engine });
  await audience(store, { ios: 4 });
  const old = await post(store);
  for (const batch of await claim(store, { batchSize: 1 })) {
    await settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  }
  const fresh = await post(store);
  const order = (await claim(store, { batchSize: 1, limit: 4 })).map(({ events }) => events[0]?.event.publicId);
  assert.equal(order.filter((publicId) => publicId === old).length, 2);
  assert.equal(order.filter((publicId) => publicId === fresh).length, 2);
});

retries.run();
