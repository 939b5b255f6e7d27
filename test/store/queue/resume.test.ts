import * as assert from 'uvu/assert';
import { BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { claim, countsOf, settle } from '../../support/queue.ts';
import type { TemporaryStore } from '../../support/store.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LONGEST_WAIT_MS = 15 * MINUTE_MS;
/** The wall clock was set back by three days while the server was down. */
const EARLIER_MS = NOW_MS - 3 * DAY_MS;

const { test, onSqlite, run } = conformance('resume');

test('after a clock that was set back no deferred push waits for longer than the longest wait', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2 } });
  const umbrella = await store.addWorkspace('umbrella', {
    channels: ['alerts'],
    owner: BOB,
    devices: { android: 1 },
  });
  const events = [await store.post(), (await umbrella.accept()).event.public_id];
  for (const route of ['apns_production', 'fcm'] as const) await deferAll(store, route, MINUTE_MS);
  const restarted = await store.restart();
  await resumeAll(restarted, EARLIER_MS);
  const atMs = EARLIER_MS + LONGEST_WAIT_MS;
  for (const route of ['apns_production', 'fcm'] as const) {
    for (const batch of await claim(restarted, { route, atMs }))
      await settle(restarted, batch, { state: 'accepted' }, atMs);
  }
  assert.equal(
    await Promise.all(events.map(async (publicId) => (await countsOf(restarted, publicId)).accepted)),
    [2, 1],
  );
});

test('and no event outlives its time to live', async (engine) => {
  const store = await aWorld({ engine, ttlMs: DAY_MS, devices: { ios: 1 } });
  const [old, fresh] = [await store.post({ wallMs: EARLIER_MS }), await store.post()];
  const restarted = await store.restart();
  await resumeAll(restarted, EARLIER_MS + MINUTE_MS);
  const expired = async (atMs: number) =>
    (await restarted.calls.expireOverdue({ steadyMs: atMs, wallMs: atMs })).finished;
  assert.equal(await expired(EARLIER_MS + DAY_MS), [old], 'the time to live of an event with a sound time stays');
  assert.equal(await expired(EARLIER_MS + MINUTE_MS + DAY_MS), [fresh]);
});

test('with a sound clock everything stays as it was', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  await store.post();
  await deferAll(store, 'apns_production', MINUTE_MS);
  const restarted = await store.restart();
  await resumeAll(restarted, NOW_MS);
  assert.equal(await claim(restarted, { atMs: NOW_MS + MINUTE_MS - 1 }), []);
  assert.is((await claim(restarted, { atMs: NOW_MS + MINUTE_MS })).length, 1);
});

onSqlite('a long backlog is brought forward in steps', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  const rows = `
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at, due_at)
    SELECT i, 1, 1, 'apns_production', 'standard', 'pending', 1, 'timeout', :at, :at FROM n`;
  store.db.prepare(rows).run({ at: NOW_MS });
  assert.is(await resumeAll(await store.restart(), EARLIER_MS), 13);
  const latest = store.db.prepare('SELECT max(due_at) FROM delivery').pluck().get();
  assert.is(latest, EARLIER_MS + LONGEST_WAIT_MS);
});

run();

/** Answers how many calls it took. */
async function resumeAll({ calls }: TemporaryStore, steadyMs: number): Promise<number> {
  for (let count = 1; ; count += 1) {
    if (!(await calls.expireOverdue({ steadyMs })).more) return count;
  }
}

async function deferAll(store: TemporaryStore, route: 'apns_production' | 'fcm', retryInMs: number): Promise<void> {
  for (const batch of await claim(store, { route })) {
    await settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs, spent: true });
  }
}
