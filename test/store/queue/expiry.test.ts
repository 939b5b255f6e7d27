import * as assert from 'uvu/assert';
import { dataFolder } from '../../support/data-folder.ts';
import { conformance } from '../../support/engines.ts';
import { claim, countsOf, settle } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import type { TemporaryStore } from '../../support/store.ts';
import { storeHere } from '../../support/store-here.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** More than two steps end. */
const EXPIRED = 450;
const TIMEOUT = { state: 'pending', reason: 'timeout', spent: true } as const;

const { test, onSqlite, run } = conformance('expiry');

onSqlite('an event may be worth less time than the operator allows, and never gets more', async () => {
  const store = await aWorld({ ttlMs: 5 * MINUTE_MS, devices: { ios: 1 } });
  for (const expiresInS of [60, 600, null]) await store.post({ expiresInS });
  const lives = store.db.prepare('SELECT expires_at - received_at FROM event').pluck().all();
  assert.equal(lives, [MINUTE_MS, 5 * MINUTE_MS, 5 * MINUTE_MS]);
});

test('a later event that expires earlier is not sent late, and holds nothing up', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const [long, short] = [await store.post(), await store.post({ expiresInS: 60 })];
  assert.equal(
    (await claim(store, { atMs: NOW_MS + MINUTE_MS })).flatMap(({ events }) =>
      events.map(({ event }) => event.publicId),
    ),
    [long],
  );
  assert.is((await countsOf(store, short)).expired, 1);
});

test('on a route that nothing is claimed from it expires in its own time, behind what lives longer', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2 } });
  await store.post();
  const fresh = await store.post({ expiresInS: 60 });
  const deferred = await store.post({ expiresInS: 120, urgency: 'time_sensitive' });
  for (const batch of await claim(store, { lane: 'urgent' })) {
    await settle(store, batch, { ...TIMEOUT, retryInMs: MINUTE_MS });
  }
  assert.equal(await sweep(store, NOW_MS + MINUTE_MS), [fresh]);
  assert.equal(await sweep(store, NOW_MS + 2 * MINUTE_MS), [deferred]);
  assert.equal(
    await Promise.all([fresh, deferred].map(async (publicId) => (await countsOf(store, publicId)).expired)),
    [2, 2],
  );
  assert.equal(await sweep(store, NOW_MS + DAY_MS - 1), []);
});

test('so does a push that was claimed and given back', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 3 } });
  const publicId = await store.post({ expiresInS: 60 });
  const [batch] = await claim(store, { limit: 2 });
  assert.ok(batch);
  assert.equal(await sweep(store, NOW_MS + MINUTE_MS), [], 'its outcome is not known yet');
  await store.calls.releaseBatch({ claimId: batch.claimId });
  assert.equal(await sweep(store, NOW_MS + MINUTE_MS), [publicId]);
  assert.is((await countsOf(store, publicId)).expired, 3);
  assert.is(await store.countRows('fan_out'), 0);
});

test('or is claimed again once it has expired', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await store.post({ expiresInS: 60 });
  const [batch] = await claim(store);
  assert.ok(batch);
  await store.calls.releaseBatch({ claimId: batch.claimId });
  assert.equal(await claim(store, { atMs: NOW_MS + MINUTE_MS }), []);
  assert.is((await countsOf(store, publicId)).expired, 1);
});

test('a retry that is out is left to its settlement, and the others of its event end', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 3 } });
  const publicId = await store.post({ expiresInS: 60 });
  for (const batch of await claim(store)) await settle(store, batch, { ...TIMEOUT, retryInMs: 0 });
  const [out] = await claim(store, { limit: 1 });
  assert.ok(out);
  const atMs = NOW_MS + MINUTE_MS;
  assert.equal(await sweep(store, atMs), []);
  assert.equal([(await countsOf(store, publicId)).expired, (await countsOf(store, publicId)).pending], [2, 1]);
  await settle(store, out, { ...TIMEOUT, retryInMs: 0 }, atMs);
  assert.equal(await sweep(store, atMs), [publicId]);
});

test('however much has expired at once, it ends in steps', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  await Promise.all(Array.from({ length: EXPIRED }, () => store.post()));
  const atMs = NOW_MS + DAY_MS;
  const finished: number[] = [];
  for (let more = true; more; ) {
    const step = await store.calls.expireOverdue({ steadyMs: atMs, wallMs: atMs });
    finished.push(step.finished.length);
    more = step.more;
  }
  assert.equal(finished, [200, 200, 50]);
});

test('also the retries of a single event', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 450 } });
  const publicId = await store.post({ expiresInS: 60 });
  for (const batch of await claim(store)) await settle(store, batch, { ...TIMEOUT, retryInMs: 0 });
  const atMs = NOW_MS + MINUTE_MS;
  const ended: number[] = [];
  while ((await store.calls.expireOverdue({ steadyMs: atMs, wallMs: atMs })).more)
    ended.push((await countsOf(store, publicId)).expired);
  assert.equal(ended, [200, 400]);
  assert.is((await countsOf(store, publicId)).expired, 450);
});

onSqlite('a claim ends retries in steps, too', async () => {
  const store = await aWorld({ devices: { ios: 450 } });
  const publicId = await store.post({ expiresInS: 60 });
  for (const batch of await claim(store)) await settle(store, batch, { ...TIMEOUT, retryInMs: 0 });
  assert.equal(await claim(store, { atMs: NOW_MS + MINUTE_MS }), []);
  assert.ok((await countsOf(store, publicId)).expired <= 300);
});

onSqlite('a claim forgets retries of a deleted channel in steps', async () => {
  const store = await aWorld({ devices: { ios: 450 } });
  await store.post();
  for (const batch of await claim(store)) await settle(store, batch, { ...TIMEOUT, retryInMs: 0 });
  granted(await store.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  assert.equal(await claim(store), []);
  assert.ok((await store.countRows('delivery')) >= 150);
});

test('after a clock that was set back each event lives as long as a new one of its kind', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const [long, short] = [await store.post(), await store.post({ expiresInS: 60 })];
  const restarted = await store.restart();
  const earlierMs = NOW_MS - 12 * 3_600_000;
  assert.equal(await sweep(restarted, earlierMs), []);
  assert.equal(await sweep(restarted, earlierMs + MINUTE_MS - 1), []);
  assert.equal(await sweep(restarted, earlierMs + MINUTE_MS), [short]);
  assert.equal(await sweep(restarted, earlierMs + DAY_MS), [long]);
});

onSqlite('if the clock is set forward by days while a server runs, nothing expires, even after a restart', async () => {
  const store = await aWorld({ devices: { ios: 2 } });
  const publicId = await store.post();
  const jumpedMs = NOW_MS + 3 * DAY_MS;
  assert.equal((await store.calls.expireOverdue({ steadyMs: NOW_MS + MINUTE_MS, wallMs: jumpedMs })).finished, []);
  const restarted = await store.restart();
  assert.equal(await sweep(restarted, jumpedMs), []);
  const [batch] = await claim(restarted, { atMs: jumpedMs, limit: 1 });
  assert.ok(batch?.events[0] && batch.events[0].leftMs > DAY_MS - 3 * MINUTE_MS);
  await restarted.calls.releaseBatch({ claimId: batch.claimId });
  // The clock is right again, and then the server stops for a day.
  await restarted.calls.expireOverdue({ steadyMs: jumpedMs, wallMs: NOW_MS });
  const third = await restarted.restart();
  assert.equal(await sweep(third, NOW_MS), []);
  const last = await third.restart();
  assert.equal(await sweep(last, NOW_MS + DAY_MS), [publicId]);
});

onSqlite('so it is if the server is restarted at once', async () => {
  const dataDir = dataFolder();
  const before = { wallMs: () => clockMs.wall, steadyMs: () => clockMs.steady };
  const clockMs = { wall: NOW_MS, steady: NOW_MS };
  const store = storeHere(dataDir, {}, before);
  const { workspaceId } = await aWorkspace(store, { devices: { ios: 1 } });
  await store.acceptEvent(anEvent(workspaceId));
  clockMs.wall += 3 * DAY_MS;
  await store.close();
  const restarted = storeHere(dataDir, {}, { wallMs: () => clockMs.wall, steadyMs: () => clockMs.wall });
  assert.equal((await restarted.expireOverdue({})).finished, []);
  const { claims } = await restarted.claimBatches({
    route: 'apns_production',
    lane: 'standard',
    limit: 10,
    batchSize: 10,
  });
  assert.is(claims.length, 1);
  await restarted.close();
});

run();

/** Answers the events that ended. */
async function sweep({ calls }: TemporaryStore, atMs: number): Promise<readonly string[]> {
  const swept = await calls.expireOverdue({ steadyMs: atMs, wallMs: atMs });
  assert.is(swept.more, false);
  return swept.finished;
}
