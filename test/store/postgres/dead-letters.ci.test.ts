import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { uuidOf } from '../../../src/contract/public-id.ts';
import { ROUTES } from '../../../src/push.ts';
import { assertEach } from '../../support/assert-each.ts';
import { closeStores, POSTGRES, type PostgresOnly } from '../../support/engines.ts';
import { claim, countsOf } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import { fails, type TemporaryStore } from '../../support/store.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const DAY_MS = 86_400_000;
const test = suite('events that are set aside on PostgreSQL');
test.after.each(closeStores);
const LANE = { route: 'apns_production', lane: 'standard', limit: 100, batchSize: 100 } as const;
const ACCEPTED = { verdict: { state: 'accepted' }, fitted: false, linksLost: false } as const;
const MANY = 60;
const ASIDE = { route: 'apns_production', reason: 'error', at: '2026-11-21T09:30:00.123+00:00' };

test('Events that cannot be claimed hold up no other, are shown, and wait for the next start', async () => {
  const store = await aWorld({ engine: POSTGRES, devices: { ios: 1 } });
  const before = await store.post();
  const bad: string[] = [];
  while (bad.length < MANY) bad.push(await store.post());
  const after = await store.post();
  const bug = await raiseAt(store, 'INSERT ON claim', ...bad);
  await fails(store.calls.claimBatches(LANE));
  const { claims } = await store.calls.claimBatches({ ...LANE, isCareful: true });
  assert.equal(
    claims.flatMap(({ events }) => events.map(({ event }) => event.publicId)),
    [before, after],
  );
  for (const publicId of bad) assert.equal(await asideOf(store, publicId), [ASIDE]);
  assert.is((await store.calls.readStatus({})).deadLetter?.count, MANY);
  const later = await store.post();
  assert.equal((await claim(store))[0]?.events[0]?.event.publicId, later);

  await bug.mend();
  const restarted = await store.restart();
  assert.equal((await claim(restarted)).flatMap(({ events }) => events).length, MANY + 3);
  for (const publicId of bad) assert.equal(await asideOf(restarted, publicId), []);
});

test('An event that fails once it is claimed is set aside with what was claimed of it', async () => {
  const store = await aWorld({ engine: POSTGRES, devices: { ios: 1 } });
  const [bad, good] = [await store.post(), await store.post()];
  const [batch] = await claim(store);
  assert.ok(batch);
  const later = { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true } as const;
  const verdicts = batch.targets.map((_, index) => ({ index, verdict: later, fitted: false, linksLost: false }));
  await store.calls.settleBatch({ claimId: batch.claimId, verdicts });
  await store.calls.removeDevice({ id: String(store.devices[0]) });
  const bug = await raiseAt(store, 'UPDATE OF withdrawn ON event', bad);
  await fails(store.calls.claimBatches(LANE));
  assert.equal((await store.calls.claimBatches({ ...LANE, isCareful: true })).finished, [good]);
  assert.equal(await asideOf(store, bad), [ASIDE]);
  assert.equal(await claim(store), []);
  assert.is(await store.countRows('claim'), 0);

  await bug.mend();
  const restarted = await store.restart();
  assert.equal(await claim(restarted), []);
  assert.is((await countsOf(restarted, bad)).withdrawn, 1);
});

test('An event whose answers cannot be recorded leaves those of its batch to be recorded', async () => {
  const store = await aWorld({ engine: POSTGRES, devices: { ios: 1 } });
  const [bad, good] = [await store.post(), await store.post()];
  const [batch] = await claim(store);
  assert.ok(batch);
  await raiseAt(store, 'INSERT ON delivery', bad);
  const verdicts = batch.targets.map((_, index) => ({ index, ...ACCEPTED }));
  const settlement = { claimId: batch.claimId, verdicts };
  await fails(store.calls.settleBatch(settlement));
  assert.equal((await store.calls.settleBatch({ ...settlement, isCareful: true })).finished, [good]);
  assert.equal(await asideOf(store, bad), [ASIDE]);
  assert.is(await store.countRows('delivery'), 1);
});

test('What is settled beside an event that cannot be recorded is recorded all the same', async () => {
  const store = await aWorld({ engine: POSTGRES, devices: { ios: 1 } });
  const [bad, good] = [await store.post(), await store.post()];
  const batches = await claim(store, { batchSize: 1 });
  await raiseAt(store, 'INSERT ON delivery', bad);
  const { ask } = storeOf(store);
  const replies = await Promise.all(
    batches.map(({ claimId }) =>
      ask({ name: 'settleBatch', args: { claimId, verdicts: [{ index: 0, ...ACCEPTED }] } }),
    ),
  );
  assertEach(replies, ({ kind }) => kind, ['bug', 'answer']);
  assert.is((await countsOf(store, good)).accepted, 1);
  assert.is((await countsOf(store, bad)).pending, 1);
});

test('An event that cannot even expire does not keep the others from it', async () => {
  const store = await aWorld({ engine: POSTGRES, ttlMs: DAY_MS, devices: { ios: 1 } });
  const [bad, good] = [await store.post(), await store.post()];
  await raiseAt(store, 'UPDATE OF expired ON event', bad);
  const late = { steadyMs: NOW_MS + DAY_MS, wallMs: NOW_MS + DAY_MS };
  await fails(store.calls.expireOverdue(late));
  assert.equal(await store.calls.expireOverdue({ ...late, isCareful: true }), { finished: [good], more: false });
  assert.is((await asideOf(store, bad)).length, ROUTES.length);
  assert.equal(await store.calls.expireOverdue(late), { finished: [], more: false });
});

test('A cancellation withdraws what is set aside at once', async () => {
  const store = await aWorld({ engine: POSTGRES, devices: { ios: 3 } });
  const publicId = await store.post();
  const [batch] = await claim(store, { limit: 1 });
  assert.ok(batch);
  const bug = await raiseAt(store, 'INSERT ON delivery', publicId);
  await store.calls.settleBatch({ claimId: batch.claimId, verdicts: [{ index: 0, ...ACCEPTED }], isCareful: true });
  assert.equal(await asideOf(store, publicId), [ASIDE]);
  await bug.mend();
  const { withdrawn, done } = granted(await store.calls.cancelEvent({ publicId }));
  assert.equal([withdrawn, done, (await countsOf(store, publicId)).pending], [3, true, 0]);
  assert.equal(await asideOf(store, publicId), []);
});

test('A cancellation that the same error meets counts all the same: the next start ends what waits', async () => {
  const store = await aWorld({ engine: POSTGRES, devices: { ios: 1 } });
  // At the first call the queue is taken up, and what was set aside comes back.
  await store.calls.expireOverdue({});
  const publicId = await store.post();
  const bug = await raiseAt(store, 'UPDATE OF withdrawn ON event', publicId);
  const { withdrawn, done, event } = granted(await store.calls.cancelEvent({ publicId }));
  assert.equal([withdrawn, done, event.deliveries.pending], [0, true, 1]);
  assert.equal((await asideOf(store, publicId))[0], ASIDE);
  assert.equal(await claim(store), []);

  await bug.mend();
  const restarted = await store.restart();
  assert.equal(await claim(restarted), []);
  assert.is((await countsOf(restarted, publicId)).withdrawn, 1);
});

test.run();

function storeOf(world: TemporaryStore): PostgresOnly['store'] {
  return (world as TemporaryStore & PostgresOnly).store;
}

/** What the store does to these events there ends in an error of which it knows nothing. */
async function raiseAt(
  world: TemporaryStore,
  at: string,
  ...publicIds: readonly string[]
): Promise<{ mend(): Promise<void> }> {
  const { connections } = storeOf(world);
  const uuids = publicIds.map((publicId) => uuidOf(publicId));
  const ids = await connections.lend(({ sql }) =>
    sql.values<object, number>(
      "SELECT id FROM event WHERE uuid IN (SELECT decode(replace(one, '-', ''), 'hex') FROM unnest(CAST(:uuids AS TEXT[])) AS one)",
    )({ uuids }),
  );
  const column = at.endsWith('event') ? 'id' : 'event_id';
  await connections.lend(({ execute }) =>
    execute(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'bad row'; END $$;
      CREATE TRIGGER bug BEFORE ${at} FOR EACH ROW WHEN (new.${column} IN (${ids})) EXECUTE FUNCTION fail()
    `),
  );
  return { mend: () => connections.lend(({ execute }) => execute('DROP FUNCTION fail CASCADE')) };
}

async function asideOf({ calls }: TemporaryStore, publicId: string) {
  return granted(await calls.showEvent({ publicId, limit: 1 })).event.set_aside;
}
