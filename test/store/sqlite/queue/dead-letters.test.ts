import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { uuidOf } from '../../../../src/contract/public-id.ts';
import { ROUTES } from '../../../../src/push.ts';
import { claim, countsOf } from '../../../support/queue.ts';
import { granted } from '../../../support/refusals.ts';
import { fails, type SqliteStore } from '../../../support/store.ts';
import { aWorld, NOW_MS, type SqliteWorld } from '../../../support/world.ts';

const DAY_MS = 86_400_000;
const aside = suite('events that are set aside');
const LANE = { route: 'apns_production', lane: 'standard', limit: 100, batchSize: 100 } as const;
const MANY = 60;
const ASIDE = { route: 'apns_production', reason: 'SqliteError: bad row', at: '2026-11-21T09:30:00.123+00:00' };

aside(
  'events that cannot be claimed hold up no other, are shown with their reason, and wait for the next start',
  async () => {
    const store = await aWorld({ devices: { ios: 1 } });
    const before = await store.post();
    const bad = await postToNobody(store, MANY);
    const after = await store.post();
    const bug = raiseAt(store, 'UPDATE OF withdrawn ON event', ...bad);
    await fails(store.calls.claimBatches(LANE));
    const { claims } = await store.calls.claimBatches({ ...LANE, isCareful: true });
    assert.equal(
      claims.flatMap(({ events }) => events.map(({ event }) => event.publicId)),
      [before, after],
    );
    assert.is(claims.flatMap(({ targets }) => targets).length, 2);
    await store.post();
    assert.is((await claim(store))[0]?.targets.length, 1);
    for (const publicId of bad) {
      assert.equal(await asideOf(store, publicId), [ASIDE]);
      assert.is((await countsOf(store, publicId)).pending, 1);
    }
    assert.is((await store.calls.readStatus({})).deadLetter?.count, MANY);

    bug.mend();
    const restarted = await store.restart();
    await claim(restarted);
    for (const publicId of bad) {
      assert.equal(await asideOf(restarted, publicId), []);
      assert.is((await countsOf(restarted, publicId)).withdrawn, 1);
    }
  },
);

aside('an event whose answers cannot be recorded leaves those of its batch to be recorded', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  const [bad, good] = [await store.post(), await store.post()];
  const [batch] = await claim(store);
  assert.ok(batch);
  raiseAt(store, 'INSERT ON delivery', bad);
  const accepted = { verdict: { state: 'accepted' }, fitted: false, linksLost: false } as const;
  const verdicts = batch.targets.map((_, index) => ({ index, ...accepted }));
  const settlement = { claimId: batch.claimId, verdicts };
  await fails(store.calls.settleBatch(settlement));
  assert.equal((await store.calls.settleBatch({ ...settlement, isCareful: true })).finished, [good]);
  assert.equal(await asideOf(store, bad), [ASIDE]);
  assert.is(store.db.prepare(`SELECT sum(count) FROM tally WHERE measure = 'accepted'`).pluck().get(), 1);
});

aside('an event that cannot even expire does not keep the others from it, and is reported as one', async () => {
  const store = await aWorld({ ttlMs: DAY_MS, devices: { ios: 1 } });
  const [bad, good] = [await store.post(), await store.post()];
  raiseAt(store, 'UPDATE OF expired ON event', bad);
  const late = { steadyMs: NOW_MS + DAY_MS, wallMs: NOW_MS + DAY_MS };
  await fails(store.calls.expireOverdue(late));
  assert.equal(await store.calls.expireOverdue({ ...late, isCareful: true }), { finished: [good], more: false });
  assert.is((await asideOf(store, bad)).length, ROUTES.length);
  assert.is((await store.calls.readStatus({})).deadLetter?.count, 1);
  assert.equal(await store.calls.expireOverdue(late), { finished: [], more: false });
});

aside('a cancellation withdraws what is set aside at once', async () => {
  const store = await aWorld({ devices: { ios: 3 } });
  const publicId = await store.post();
  const [batch] = await claim(store, { limit: 1 });
  assert.ok(batch);
  const bug = raiseAt(store, 'INSERT ON delivery', publicId);
  const verdicts = [{ index: 0, verdict: { state: 'accepted' }, fitted: false, linksLost: false }] as const;
  await store.calls.settleBatch({ claimId: batch.claimId, verdicts, isCareful: true });
  assert.equal(await asideOf(store, publicId), [ASIDE]);
  bug.mend();
  const { withdrawn, done } = granted(await store.calls.cancelEvent({ publicId }));
  assert.equal([withdrawn, done, (await countsOf(store, publicId)).pending], [3, true, 0]);
  assert.equal(await asideOf(store, publicId), []);
});

aside('a cancellation that the same error meets counts all the same: the next start ends what waits', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  const publicId = await store.post();
  const bug = raiseAt(store, 'UPDATE OF withdrawn ON event', publicId);
  const { withdrawn, done, event } = granted(await store.calls.cancelEvent({ publicId }));
  assert.equal([withdrawn, done, event.deliveries.pending], [0, true, 1]);
  assert.equal((await asideOf(store, publicId))[0], ASIDE);
  assert.equal(await claim(store), []);

  bug.mend();
  const restarted = await store.restart();
  assert.equal(await claim(restarted), []);
  assert.is((await countsOf(restarted, publicId)).withdrawn, 1);
});

aside('dead letters go with their channel', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  const bad = await postToNobody(store, MANY);
  const bug = raiseAt(store, 'UPDATE OF withdrawn ON event', ...bad);
  await fails(store.calls.claimBatches(LANE));
  await store.calls.claimBatches({ ...LANE, isCareful: true });
  bug.mend();
  assert.equal([await store.countRows('set_aside'), await store.countRows('fan_out')], [MANY, MANY]);
  granted(await store.calls.deleteChannel({ workspace: 'acme', slug: 'quiet' }));
  while (!(await store.calls.pruneStep({})).done);
  assert.equal([await store.countRows('set_aside'), await store.countRows('fan_out')], [0, 0]);
});

aside.run();

/** Events whose one device leaves before they are sent. */
async function postToNobody(store: SqliteWorld, count: number): Promise<readonly string[]> {
  await store.calls.createChannel({ workspace: 'acme', slug: 'quiet' });
  const { db } = store;
  db.exec(`INSERT INTO subscription (channel_id, device_id, route, active)
    SELECT id, 1, 'apns_production', 1 FROM channel WHERE slug = 'quiet'`);
  const publicIds: string[] = [];
  while (publicIds.length < count) publicIds.push(await store.post({ channel: 'quiet' }));
  db.exec(`DELETE FROM subscription WHERE channel_id = (SELECT id FROM channel WHERE slug = 'quiet')`);
  return publicIds;
}

/** What the store does to these events there ends in an error of which it knows nothing. */
function raiseAt({ db }: SqliteStore, at: string, ...publicIds: readonly string[]): { mend(): void } {
  const idOf = db.prepare<[string | undefined], number>('SELECT id FROM event WHERE uuid = unhex(?)').pluck();
  const ids = publicIds.map((publicId) => idOf.get(uuidOf(publicId)?.replaceAll('-', '')));
  const column = at.endsWith('event') ? 'id' : 'event_id';
  db.exec(`CREATE TRIGGER bug BEFORE ${at} WHEN new.${column} IN (${ids}) BEGIN SELECT raise(ABORT, 'bad row'); END`);
  return { mend: () => db.exec('DROP TRIGGER bug') };
}

async function asideOf({ calls }: SqliteStore, publicId: string) {
  const shown = granted(await calls.showEvent({ publicId, limit: 1 }));
  return shown.event.set_aside;
}
