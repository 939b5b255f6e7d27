import * as assert from 'uvu/assert';
import { assertEach } from '../../support/assert-each.ts';
import { conformance } from '../../support/engines.ts';
import { claim, countsOf, settle } from '../../support/queue.ts';
import { granted, refused } from '../../support/refusals.ts';
import { fails, type TemporaryStore, temporaryStore } from '../../support/store.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const TIMEOUT = { state: 'pending', reason: 'timeout', retryInMs: 60_000, spent: true } as const;
const CALLED_OFF = { state: 'pending', reason: 'recalled', retryInMs: 0, spent: false } as const;
const { test, onSqlite, run } = conformance('cancelling an event');

test('waiting pushes are withdrawn at once, on all routes, and accepted pushes stay', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 3, android: 2 } });
  const publicId = await store.post();
  const [batch] = await claim(store, { limit: 1 });
  if (batch) await settle(store, batch);
  const { event, ...answer } = granted(await store.calls.cancelEvent({ publicId }));
  assert.equal(answer, { isNew: true, wasScheduled: false, waiting: 4, withdrawn: 4, done: true });
  assert.equal([event.deliveries.accepted, event.deliveries.withdrawn, event.deliveries.pending], [1, 4, 0]);
  assert.equal(
    [await store.countRows('fan_out'), (await claim(store)).length, (await claim(store, { route: 'fcm' })).length],
    [0, 0, 0],
  );
  assert.is((await reasonsOf(store)).cancelled, 4);
});

test('a claim passes over a cancelled event of which a page is in flight and another one was released', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 3 } });
  const publicId = await store.post();
  const [released] = await claim(store, { limit: 1 });
  const [inFlight] = await claim(store, { limit: 1 });
  await store.calls.releaseBatch({ claimId: released?.claimId ?? '' });
  granted(await store.calls.cancelEvent({ publicId }));
  assert.equal(await claim(store, { limit: 1 }), []);
  if (inFlight) await settle(store, inFlight);
  for (let more = true; more; ) ({ more } = await store.calls.expireOverdue({}));
  const { accepted, withdrawn, pending } = await countsOf(store, publicId);
  assert.equal([accepted, withdrawn, pending], [1, 2, 0]);
});

test('pushes that wait for another try are withdrawn as well, in steps if they are many', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 500 } });
  const publicId = await store.post();
  for (const batch of await claim(store)) await settle(store, batch, TIMEOUT);
  const steps = [granted(await store.calls.cancelEvent({ publicId })).withdrawn];
  for (let done = false; !done; ) {
    const step = granted(await store.calls.continueCancel({ publicId }));
    steps.push(step.withdrawn);
    ({ done } = step);
  }
  assert.equal(steps, [200, 200, 100]);
  assert.equal([(await countsOf(store, publicId)).withdrawn, (await countsOf(store, publicId)).pending], [500, 0]);
});

test('after the first step nothing is sent any more, also after a crash, and the rest ends by itself', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 500 } });
  const publicId = await store.post();
  for (const batch of await claim(store)) await settle(store, batch, TIMEOUT);
  granted(await store.calls.cancelEvent({ publicId }));
  const after = await store.restart();
  assert.equal(await claim(after, { atMs: NOW_MS + 60_000 }), []);
  for (let more = true; more; ) ({ more } = await after.calls.expireOverdue({}));
  assert.equal([(await countsOf(after, publicId)).withdrawn, (await countsOf(after, publicId)).expired], [500, 0]);
  assert.equal(await reasonsOf(after), { cancelled: 500, timeout: 500 });
});

test('pushes handed out are called back, and end as withdrawn unless they were sent', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2 } });
  const [publicId, other] = [await store.post(), await store.post()];
  const batches = await claim(store, { batchSize: 2 });
  const { event, withdrawn, done } = granted(await store.calls.cancelEvent({ publicId }));
  assert.equal([event.deliveries.pending, withdrawn, done], [2, 0, true]);
  assertEach(batches, ({ revoked }) => [...revoked], [
    [1, 1],
    [0, 0],
  ]);
  for (const batch of batches) {
    const verdicts = batch.targets.map((_, index) => ({
      index,
      verdict: batch.revoked[index] && index === 0 ? CALLED_OFF : ({ state: 'accepted' } as const),
      fitted: false,
      linksLost: false,
    }));
    await store.calls.settleBatch({ claimId: batch.claimId, verdicts });
  }
  assert.equal(await claim(store), []);
  assert.equal([(await countsOf(store, publicId)).accepted, (await countsOf(store, publicId)).withdrawn], [1, 1]);
  assert.is((await countsOf(store, other)).accepted, 2);
});

test('a batch that was given back is not handed out again', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2 } });
  const publicId = await store.post();
  const [batch] = await claim(store);
  granted(await store.calls.cancelEvent({ publicId }));
  await store.calls.releaseBatch({ claimId: batch?.claimId ?? '' });
  assert.equal(await claim(store), []);
  assert.is((await countsOf(store, publicId)).withdrawn, 2);
});

test('pushes held because their device is quarantined are withdrawn, too', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2 } });
  const publicId = await store.post();
  const held = {
    state: 'held',
    reason: 'BadDeviceToken',
    token: 'x',
    retryInMs: 60_000,
    spent: true,
  } as const;
  for (const batch of await claim(store)) await settle(store, batch, held);
  const { withdrawn, event } = granted(await store.calls.cancelEvent({ publicId }));
  assert.equal([withdrawn, event.deliveries.pending], [2, 0]);
});

test('the queue of a suspended workspace is withdrawn, too', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2 } });
  const publicId = await store.post();
  granted(await store.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  assert.is(granted(await store.calls.cancelEvent({ publicId })).withdrawn, 2);
});

test('an event of which nothing is left is not marked, and one that is cancelled again stays as it is', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const done = await store.post();
  for (const batch of await claim(store)) await settle(store, batch);
  const { isNew, withdrawn } = granted(await store.calls.cancelEvent({ publicId: done }));
  assert.equal([isNew, withdrawn, await cancelledAt(store, done)], [false, 0, null]);
  const waiting = await store.post();
  granted(await store.calls.cancelEvent({ publicId: waiting }));
  const again = granted(await store.calls.cancelEvent({ publicId: waiting, wallMs: NOW_MS + 1, steadyMs: NOW_MS + 1 }));
  assert.equal([again.isNew, again.withdrawn], [false, 0]);
  assert.is(await cancelledAt(store, waiting), '2026-11-21T09:30:00.123+00:00');
});

onSqlite('a cancellation that could not be written changes nothing and calls nothing back', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  const publicId = await store.post();
  const [batch] = await claim(store);
  store.db.exec(`CREATE TRIGGER full AFTER UPDATE ON event BEGIN SELECT raise(ABORT, 'no'); END`);
  await fails(store.calls.cancelEvent({ publicId }));
  store.db.exec('DROP TRIGGER full');
  assert.equal([await cancelledAt(store, publicId), [...(batch?.revoked ?? [])]], [null, [0]]);
  if (batch) await settle(store, batch);
  assert.is((await countsOf(store, publicId)).accepted, 1);
});

test('there must be such an event', async (engine) => {
  const store = await temporaryStore({ engine });
  for (const publicId of ['evt_1', 'evt_01k9z3v5m8q2w4e6r8t0y2a4c6']) {
    assert.is(refused(await store.calls.cancelEvent({ publicId })).refused, 'not_found');
  }
});

run();

async function cancelledAt({ calls }: TemporaryStore, publicId: string): Promise<string | null> {
  return granted(await calls.showEvent({ publicId, limit: 1 })).event.cancelled_at;
}

/** How often each reason was counted. */
async function reasonsOf({ calls }: TemporaryStore): Promise<Readonly<Record<string, number>>> {
  const { reasons } = granted(await calls.stats({ sinceMs: NOW_MS }));
  return Object.fromEntries(
    [...Map.groupBy(reasons, ({ reason }) => reason)].map(([reason, rows]) => [
      reason,
      rows.reduce((sum, { count }) => sum + count, 0),
    ]),
  );
}
