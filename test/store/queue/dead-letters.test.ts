import * as assert from 'uvu/assert';
import { uuidOf } from '../../../src/contract/public-id.ts';
import { ROUTES } from '../../../src/push.ts';
import type { Claim } from '../../../src/store/calls.ts';
import {
  conformance,
  type Engine,
  type OnEngine,
  POSTGRES,
  type PostgresOnly,
  SQLITE,
  type SqliteOnly,
} from '../../support/engines.ts';
import { claim, countsOf, settle } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import { fails, type TemporaryStore } from '../../support/store.ts';
import { until } from '../../support/until.ts';
import { aWorld, NOW_MS, type World, type WorldOptions } from '../../support/world.ts';

const { it, test, onPostgres, run } = conformance('dead letters', aBreakableWorld);
const DAY_MS = 86_400_000;
const LANE = { route: 'apns_production', lane: 'standard', limit: 100, batchSize: 100 } as const;
const ACCEPTED = { verdict: { state: 'accepted' }, fitted: false, linksLost: false } as const;
const LATER = { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true } as const;
const MANY = 60;
const MORE_THAN_A_STEP = 1_100;

const accepted = ({ targets }: Pick<Claim, 'targets'>) => targets.map((_, index) => ({ index, ...ACCEPTED }));

test('events that cannot be claimed hold up no other, and wait for the next start', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const before = await store.post();
  const bad = await postToNobody(store, MANY);
  const after = await store.post();
  const bug = await raiseAt(store, 'UPDATE OF withdrawn ON event', ...bad);
  await onlyBadAreSetAside(store, bad, [before, after]);
  for (const publicId of bad) assert.is((await countsOf(store, publicId)).pending, 1);
  await bug.fix();
  const restarted = await store.restart();
  await claim(restarted);
  for (const publicId of bad) {
    assert.equal(await asideOf(restarted, publicId), []);
    assert.is((await countsOf(restarted, publicId)).withdrawn, 1);
  }
});

test('dead letters are tried again without a restart, once that is asked for', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const bad = await postToNobody(store, MANY);
  const bug = await raiseAt(store, 'UPDATE OF withdrawn ON event', ...bad);
  await onlyBadAreSetAside(store, bad, []);
  await bug.fix();
  assert.equal(await store.calls.retryDeadLetters({}), { events: MANY, places: MANY, more: false });
  await claim(store);
  for (const publicId of bad) assert.is((await countsOf(store, publicId)).withdrawn, 1);
  assert.equal(await store.calls.retryDeadLetters({}), { events: 0, places: 0, more: false });
});

onPostgres('an event that fails once it is claimed becomes a dead letter with what was claimed of it', async () => {
  const store = await aWorld({ engine: POSTGRES, devices: { ios: 1 } });
  const [bad, good] = [await store.post(), await store.post()];
  const [batch] = await claim(store);
  assert.ok(batch);
  await settle(store, batch, LATER);
  await store.calls.removeDevice({ id: String(store.devices[0]) });
  const bug = await raiseAt(store, 'UPDATE OF withdrawn ON event', bad);
  await fails(store.calls.claimBatches(LANE));
  assert.equal((await store.calls.claimBatches({ ...LANE, isCareful: true })).finished, [good]);
  assert.equal(await asideOf(store, bad), [asideIn(store)]);
  assert.equal(await claim(store), []);
  assert.is(await store.countRows('delivery WHERE owner IS NOT NULL'), 0);
  await bug.fix();
  const restarted = await store.restart();
  assert.equal(await claim(restarted), []);
  assert.is((await countsOf(restarted, bad)).withdrawn, 1);
});

it('an event whose answers cannot be recorded leaves those of its batch to be recorded', async (store) => {
  const [bad, good] = [await store.post(), await store.post()];
  const [batch] = await claim(store);
  assert.ok(batch);
  await raiseAt(store, 'INSERT ON delivery', bad);
  const verdicts = batch.targets.map((_, index) => ({ index, ...ACCEPTED }));
  const settlement = { claimId: batch.claimId, verdicts };
  await fails(store.calls.settleBatch(settlement));
  assert.equal((await store.calls.settleBatch({ ...settlement, isCareful: true })).finished, [good]);
  assert.equal(await asideOf(store, bad), [asideIn(store)]);
  assert.equal([(await countsOf(store, good)).accepted, (await countsOf(store, bad)).accepted], [1, 0]);
});

test('pushes whose answers could not be recorded are sent again once that is asked for', async (engine) => {
  const store = await aBreakableWorld({ engine, devices: { ios: 2 } });
  for (const limit of [1, 2]) {
    const publicId = await store.post();
    const [batch] = await claim(store, { limit });
    assert.ok(batch);
    const bug = await raiseAt(store, 'INSERT ON delivery', publicId);
    await store.calls.settleBatch({ claimId: batch.claimId, verdicts: accepted(batch), isCareful: true });
    await bug.fix();
    assert.equal(await claim(store), []);
    assert.equal(await store.calls.retryDeadLetters({}), { events: 1, places: 1, more: false });
    for (const again of await claim(store)) await settle(store, again);
    const { accepted: done, withdrawn, pending } = await countsOf(store, publicId);
    assert.equal([done, withdrawn, pending], [2, 0, 0], `after a claim of ${limit}`);
  }
});

test('a push whose answer could not be recorded is sent again although the rest of its page can be', async (engine) => {
  for (const others of [0, 1]) {
    const store = await aBreakableWorld({ engine, devices: { ios: 2 + others } });
    const publicId = await store.post();
    const [batch, ...next] = await claim(store, { batchSize: 2 });
    assert.ok(batch);
    const [failing, rest] = accepted(batch);
    const bug = await raiseAt(store, 'INSERT ON delivery', publicId);
    await store.calls.settleBatch({ claimId: batch.claimId, verdicts: failing ? [failing] : [], isCareful: true });
    await bug.fix();
    await store.calls.retryDeadLetters({});
    await claim(store);
    await store.calls.settleBatch({ claimId: batch.claimId, verdicts: rest ? [rest] : [] });
    for (const other of next) await settle(store, other);
    assert.equal(await sentAgain(store), [batch.targets[0]?.deviceId]);
    const { accepted: done, withdrawn, pending } = await countsOf(store, publicId);
    assert.equal([done, withdrawn, pending], [2 + others, 0, 0]);
  }
});

test('an event with more retries than a transaction may change becomes a dead letter and comes back in steps', async (engine) => {
  const store = await aBreakableWorld({ engine, devices: { ios: MORE_THAN_A_STEP } });
  const publicId = await store.post();
  for (const found of [await claim(store), await claim(store)].flat()) await settle(store, found, LATER);
  const retries = () => store.countRows(`delivery WHERE state = 'pending' AND lane = 'dead_letter'`);
  const bug = await raiseAt(store, 'INSERT ON delivery', publicId);
  for (const found of await claim(store, { limit: 1 })) {
    await store.calls.settleBatch({ claimId: found.claimId, verdicts: accepted(found), isCareful: true });
  }
  await bug.fix();
  const aside = await retries();
  assert.ok(aside > 0 && aside <= 1_000, `${aside} moved`);
  await execute(
    store,
    `UPDATE delivery SET lane = 'dead_letter' WHERE state = 'pending' AND device_id IN (SELECT id FROM device)`,
  );
  const steps: number[] = [];
  for (let more = true; more; steps.push(await retries())) ({ more } = await store.calls.retryDeadLetters({}));
  assert.ok(steps.length > 1, `${steps} left`);
  while ((await countsOf(store, publicId)).accepted < MORE_THAN_A_STEP) await sentAgain(store);
});

for (const [what, verdict] of [
  ['pages', { state: 'accepted' }],
  ['retries', LATER],
] as const) {
  test(`outcomes of ${what} in flight are recorded although their event becomes a dead letter meanwhile`, async (engine) => {
    const store = await aBreakableWorld({ engine, devices: { ios: 3 } });
    const publicId = await store.post();
    if (what === 'retries') for (const batch of await claim(store)) await settle(store, batch, verdict);
    const batches = await claim(store, { batchSize: 1 });
    const [failing, ...others] = batches;
    assert.ok(failing);
    const bug = await raiseAt(store, 'INSERT ON delivery', publicId);
    await store.calls.settleBatch({ claimId: failing.claimId, verdicts: accepted(failing), isCareful: true });
    await bug.fix();
    for (const batch of others) await settle(store, batch);
    assert.equal(await claim(store), []);
    assert.equal(await asideOf(store, publicId), [asideIn(store)]);
    assert.is((await countsOf(store, publicId)).accepted, 2);
    await store.calls.retryDeadLetters({});
    assert.equal(
      await sentAgain(store),
      failing.targets.map(({ deviceId }) => deviceId),
    );
    const { accepted: done, withdrawn, pending } = await countsOf(store, publicId);
    assert.equal([done, withdrawn, pending], [3, 0, 0]);
  });
}

onPostgres('other outcomes beside an event that cannot be recorded are recorded all the same', async () => {
  const store = await aWorld({ engine: POSTGRES, devices: { ios: 1 } });
  const [bad, good] = [await store.post(), await store.post()];
  const batches = await claim(store, { batchSize: 1 });
  await raiseAt(store, 'INSERT ON delivery', bad);
  const { ask } = ownOf<PostgresOnly>(store).store;
  const replies = await Promise.all(
    batches.map(({ claimId }) =>
      ask({ name: 'settleBatch', args: { claimId, verdicts: [{ index: 0, ...ACCEPTED }] } }),
    ),
  );
  assert.equal([replies[0]?.kind, replies[1]?.kind, replies.length], ['bug', 'answer', 2]);
  assert.is((await countsOf(store, good)).accepted, 1);
  assert.is((await countsOf(store, bad)).pending, 1);
});

test('an event that cannot even expire does not keep the others from it, and is reported as one', async (engine) => {
  const store = await aBreakableWorld({ engine, ttlMs: DAY_MS });
  const [bad, good] = [await store.post(), await store.post()];
  await raiseAt(store, 'UPDATE OF expired ON event', bad);
  const late = { steadyMs: NOW_MS + DAY_MS, wallMs: NOW_MS + DAY_MS };
  await fails(store.calls.expireOverdue(late));
  assert.equal(await store.calls.expireOverdue({ ...late, isCareful: true }), { finished: [good], more: false });
  assert.is((await asideOf(store, bad)).length, ROUTES.length);
  assert.is((await store.calls.readStatus({})).deadLetter?.count, 1);
  assert.equal(await store.calls.expireOverdue(late), { finished: [], more: false });
});

test('a cancellation withdraws dead letters at once', async (engine) => {
  const store = await aBreakableWorld({ engine, devices: { ios: 3 } });
  const publicId = await store.post();
  const [batch] = await claim(store, { limit: 1 });
  assert.ok(batch);
  const bug = await raiseAt(store, 'INSERT ON delivery', publicId);
  await store.calls.settleBatch({ claimId: batch.claimId, verdicts: [{ index: 0, ...ACCEPTED }], isCareful: true });
  assert.equal(await asideOf(store, publicId), [asideIn(store)]);
  await bug.fix();
  const { withdrawn, done } = granted(await store.calls.cancelEvent({ publicId }));
  assert.equal([withdrawn, done, (await countsOf(store, publicId)).pending], [3, true, 0]);
  assert.equal(await asideOf(store, publicId), []);
});

it('a cancellation that the same error meets counts all the same: the next start ends what waits', async (store) => {
  // At the first call the queue is taken up, and dead letters come back.
  await store.calls.expireOverdue({});
  const publicId = await store.post();
  const bug = await raiseAt(store, 'UPDATE OF withdrawn ON event', publicId);
  const { withdrawn, done, event } = granted(await store.calls.cancelEvent({ publicId }));
  assert.equal([withdrawn, done, event.deliveries.pending], [0, true, 1]);
  assert.equal((await asideOf(store, publicId))[0], asideIn(store));
  assert.equal(await claim(store), []);
  await bug.fix();
  const restarted = await store.restart();
  assert.equal(await claim(restarted), []);
  assert.is((await countsOf(restarted, publicId)).withdrawn, 1);
});

test('dead letters go with their channel', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const bad = await postToNobody(store, MANY);
  const bug = await raiseAt(store, 'UPDATE OF withdrawn ON event', ...bad);
  await fails(store.calls.claimBatches(LANE));
  await store.calls.claimBatches({ ...LANE, isCareful: true });
  await bug.fix();
  assert.equal([await store.countRows('dead_letter'), await store.countRows('fan_out')], [MANY, MANY]);
  granted(await store.calls.deleteChannel({ workspace: 'acme', slug: 'quiet' }));
  while (!(await store.calls.pruneStep({})).done);
  assert.equal([await store.countRows('dead_letter'), await store.countRows('fan_out')], [0, 0]);
});

run();

/** A world over a schema of its own, which a trigger may change, with one device unless the options say otherwise. */
function aBreakableWorld({ engine, ...options }: WorldOptions & OnEngine): Promise<World> {
  const own: Engine = engine.name === 'sqlite' ? SQLITE : POSTGRES;
  return aWorld({ engine: own, devices: { ios: 1 }, ...options });
}

/** Sends what can be claimed by now. Returns the devices. */
async function sentAgain(store: World): Promise<readonly number[]> {
  const deviceIds: number[] = [];
  await until('pushes are claimed', async () => {
    for (const batch of await claim(store)) {
      deviceIds.push(...batch.targets.map(({ deviceId }) => deviceId));
      await settle(store, batch);
    }
    return deviceIds.length > 0;
  });
  return deviceIds;
}

function ownOf<Own>(store: TemporaryStore): Own {
  return store as TemporaryStore & Own;
}

function isSqlite(store: TemporaryStore): boolean {
  return 'db' in store;
}

/** The state of an event that is a dead letter. */
function asideIn(store: TemporaryStore) {
  const reason = isSqlite(store) ? 'SqliteError: bad row' : 'error';
  return { route: 'apns_production', reason, at: '2026-11-21T09:30:00.123+00:00' };
}

async function asideOf({ calls }: TemporaryStore, publicId: string) {
  return granted(await calls.showEvent({ publicId, limit: 1 })).event.set_aside;
}

/** Claims carefully, which hands out the good events and sets the bad ones aside, and another event after them. */
async function onlyBadAreSetAside(store: World, bad: readonly string[], good: readonly string[]): Promise<void> {
  await fails(store.calls.claimBatches(LANE));
  const { claims } = await store.calls.claimBatches({ ...LANE, isCareful: true });
  const claimed = claims.flatMap(({ events }) => events.map(({ event }) => event.publicId));
  assert.equal(claimed.toSorted(), good.toSorted());
  assert.is(claims.flatMap(({ targets }) => targets).length, good.length);
  for (const publicId of bad) assert.equal(await asideOf(store, publicId), [asideIn(store)]);
  assert.is((await store.calls.readStatus({})).deadLetter?.count, bad.length);
  const later = await store.post();
  const [next] = await claim(store);
  assert.equal([next?.events[0]?.event.publicId, next?.targets.length], [later, 1]);
}

const SUBSCRIBE = {
  sqlite: `
    INSERT INTO subscription (channel_id, device_id, user_id, route, active)
    SELECT id, 1, 1, 'apns_production', 1 FROM channel WHERE slug = 'quiet'`,
  postgres: `
    UPDATE channel SET last_number = 1 WHERE slug = 'quiet';
    INSERT INTO subscription (channel_id, number, device_id, user_id, route, active)
    SELECT id, 1, 1, 1, 'apns_production', 1 FROM channel WHERE slug = 'quiet'`,
};

async function execute(store: TemporaryStore, text: string): Promise<void> {
  if (isSqlite(store)) ownOf<SqliteOnly>(store).db.exec(text);
  else await ownOf<PostgresOnly>(store).store.connections.lend((lent) => lent.execute(text));
}

/** Posts events whose one device leaves before they are sent, in a way that withdraws nothing. */
async function postToNobody(store: World, count: number): Promise<readonly string[]> {
  await store.calls.createChannel({ workspace: 'acme', slug: 'quiet' });
  await execute(store, SUBSCRIBE[isSqlite(store) ? 'sqlite' : 'postgres']);
  const publicIds: string[] = [];
  while (publicIds.length < count) publicIds.push(await store.post({ channel: 'quiet' }));
  await execute(store, `DELETE FROM subscription WHERE channel_id = (SELECT id FROM channel WHERE slug = 'quiet')`);
  return publicIds;
}

/** Makes the store's work on these events end in an unknown error. */
async function raiseAt(
  store: TemporaryStore,
  at: string,
  ...publicIds: readonly string[]
): Promise<{ fix(): Promise<unknown> }> {
  const hexes = publicIds.map((publicId) => `'${uuidOf(publicId)?.replaceAll('-', '')}'`).join();
  const column = at.endsWith('event') ? 'id' : 'event_id';
  if (isSqlite(store)) {
    const { db } = ownOf<SqliteOnly>(store);
    const ids = db.prepare(`SELECT id FROM event WHERE lower(hex(uuid)) IN (${hexes})`).pluck().all();
    db.exec(`CREATE TRIGGER bug BEFORE ${at} WHEN new.${column} IN (${ids}) BEGIN SELECT raise(ABORT, 'bad row'); END`);
    return { fix: async () => db.exec('DROP TRIGGER bug') };
  }
  const { connections } = ownOf<PostgresOnly>(store).store;
  const ids = await connections.lend(({ sql }) =>
    sql.values<object, number>(`SELECT id FROM event WHERE encode(uuid, 'hex') IN (${hexes})`)({}),
  );
  await connections.lend(({ execute }) =>
    execute(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'bad row'; END $$;
      CREATE TRIGGER bug BEFORE ${at} FOR EACH ROW WHEN (new.${column} IN (${ids})) EXECUTE FUNCTION fail()`),
  );
  return { fix: () => connections.lend(({ execute }) => execute('DROP FUNCTION fail CASCADE')) };
}
