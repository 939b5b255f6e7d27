import { join } from 'node:path';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpenClaims } from '../../../../src/delivery/open-claims.ts';
import type { Claim, Verdict } from '../../../../src/store/calls.ts';
import { migrate } from '../../../../src/store/sqlite/migrations.ts';
import { assertEach } from '../../../support/assert-each.ts';
import { BOB } from '../../../support/cast.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { claim, countsOf, settle } from '../../../support/queue.ts';
import { granted } from '../../../support/refusals.ts';
import { callsOf, type SqliteStore, type TemporaryStore } from '../../../support/store.ts';
import { aWorkspace } from '../../../support/workspace.ts';
import { aWorld, NOW_MS } from '../../../support/world.ts';

test('small events of several workspaces go out in one batch, and are settled together', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  const umbrella = await store.addWorkspace('umbrella', { channels: ['alerts'], owner: BOB, devices: { ios: 2 } });
  const posted = [await store.post(), (await umbrella.accept()).event.public_id, await store.post()];
  const [batch, ...others] = await claim(store);
  assert.ok(batch);
  assert.equal(others, []);
  assert.equal(new Set(batch.events.map(({ event }) => event.publicId)), new Set(posted));
  assert.equal(
    batch.targets.map(({ event }) => batch.events[event]?.event.workspace),
    ['acme', 'acme', 'umbrella', 'umbrella'],
  );
  assert.equal(new Set(await settle(store, batch)), new Set(posted));
  assert.is(await store.countRows('fan_out'), 0);
});

test('one device may be in a batch several times, once for each event', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  const posted = [await store.post(), await store.post(), await store.post()];
  const [batch] = await claim(store);
  assert.ok(batch);
  assert.is(new Set(batch.targets.map(({ deviceId }) => deviceId)).size, 1);
  await settleSome(store, batch, [1]);
  assert.equal(
    await Promise.all(posted.map(async (publicId) => (await countsOf(store, publicId)).accepted)),
    [0, 1, 0],
  );
});

test('answered pushes of a batch are settled while the rest stays claimed', async () => {
  const store = await aWorld({ devices: { ios: 3 } });
  const [slow, quick] = [await store.post(), await store.post()];
  const [batch] = await claim(store);
  assert.ok(batch);
  const of = (publicId: string) => indexesOf(batch, publicId);
  assert.equal(await settleSome(store, batch, [...of(quick), ...of(slow).slice(0, 2)]), [quick]);
  assert.is((await countsOf(store, slow)).pending, 1);
  assert.equal(await claim(store), []);
  assert.equal(await settleSome(store, batch, of(slow).slice(2)), [slow]);
  assert.is(await store.countRows('fan_out'), 0);
});

test('a batch of many events for five webhooks is settled in transactions of few rows', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  for (let n = 0; n < 5; n += 1) {
    const hook = { workspace: 'acme', url: `https://example.com/${n}`, secret: `whsec_${'A'.repeat(43)}=` };
    granted(await store.calls.createWebhook({ ...hook, kinds: ['event.settled'] }));
  }
  const posted = await Promise.all(Array.from({ length: 100 }, () => store.post()));
  const [batch] = await claim(store);
  assert.is(batch?.targets.length, 100);
  const changes = () => Number(store.db.prepare('SELECT total_changes()').pluck().get());
  const { claimId, targets } = batch as Claim;
  const verdict = { state: 'accepted' } as const;
  const verdicts = targets.map((_, index) => ({ index, verdict, fitted: false, linksLost: false }));
  const finished: string[] = [];
  for (let isMore = true; isMore; ) {
    const before = changes();
    const settled = await store.calls.settleBatch({ claimId, verdicts });
    assert.ok(changes() - before <= 500, `${changes() - before} rows`);
    finished.push(...settled.finished);
    isMore = settled.more ?? false;
  }
  assert.equal(finished.sort(), [...posted].sort());
  assert.is(await store.countRows('webhook_message'), 500);
});

test('a target that was settled is not settled again', async () => {
  const store = await aWorld({ devices: { ios: 2 } });
  const publicId = await store.post();
  const [batch] = await claim(store);
  assert.ok(batch);
  await settleSome(store, batch, [0]);
  await settle(store, batch, { state: 'failed', reason: 'BadTopic' });
  assert.is((await countsOf(store, publicId)).accepted, 1);
  assert.is((await countsOf(store, publicId)).failed, 1);
});

test('after a crash only the unsettled pushes of a batch are handed out again', async () => {
  const store = await aWorld({ devices: { ios: 4 } });
  const publicId = await store.post();
  const [batch] = await claim(store);
  assert.ok(batch);
  await settleSome(store, batch, [0, 2]);
  const restarted = await store.restart();
  const [again] = await claim(restarted);
  assertEach(
    again?.targets,
    ({ deviceId }) => deviceId,
    [1, 3].map((index) => batch.targets[index]?.deviceId),
  );
  await settle(restarted, again as Claim);
  assert.is((await countsOf(restarted, publicId)).accepted, 4);
  assert.is(await restarted.countRows('fan_out'), 0);
});

test('a settled retry falls due by itself, with any outcome of the rest of its batch', async () => {
  const store = await aWorld({ devices: { ios: 2 } });
  await store.post();
  const later = { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true } as const;
  await settle(store, (await claim(store))[0] as Claim, later);
  const [retry] = await claim(store);
  assert.ok(retry);
  await settleSome(store, retry, [0], later);
  const [again] = await claim(store);
  assertEach(again?.targets, ({ deviceId }) => deviceId, [retry.targets[0]?.deviceId]);
});

test('a large event leaves room for the small ones of its workspace, whenever they come', async () => {
  const store = await aWorld({ devices: { ios: 900 } });
  const large = await store.post();
  assert.is((await claim(store, { limit: 200 })).length, 2);
  await store.calls.createChannel({ workspace: 'acme', slug: 'quiet' });
  store.db.exec(
    `INSERT INTO subscription (channel_id, device_id, user_id, route, active) SELECT id, 1, 1, 'apns_production', 1 FROM channel WHERE slug = 'quiet'`,
  );
  const small = await store.post({ channel: 'quiet' });
  const events = (await claim(store, { limit: 300 })).flatMap((batch) =>
    batch.events.map(({ event }) => event.publicId),
  );
  assert.ok(events.includes(small) && events.includes(large));
});

test('pushes in flight cost no later claim a look', async () => {
  const statements: string[] = [];
  const db = new Database(join(temporaryFolder(), 'pushctl.db'), { verbose: (sql) => statements.push(String(sql)) });
  db.pragma('synchronous = OFF');
  migrate(db);
  const openClaims = new OpenClaims({ steadyMs: () => NOW_MS });
  const store = { db, calls: callsOf(db), openClaims } as SqliteStore;
  const acme = await aWorkspace(store.calls, { devices: { ios: 1 } });
  for (let n = 0; n < 300; n += 1) await acme.accept();
  for (let n = 0; n < 50; n += 1) {
    const team = { workspace: `team-${n}`, owner: `team-${n}@example.com`, devices: { ios: 1 } };
    await (await aWorkspace(store.calls, team)).accept();
  }
  assert.is((await claim(store)).flatMap(({ targets }) => targets).length, 350);
  await acme.accept();
  statements.length = 0;
  assert.is((await claim(store))[0]?.targets.length, 1);
  assert.ok(statements.length < 30, `${statements.length} statements`);
});

const VERDICTS: readonly Verdict[] = [
  { state: 'accepted' },
  { state: 'failed', reason: 'PayloadTooLarge' },
  { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true },
];

for (const verdict of VERDICTS) {
  test(`a batch that is settled (${verdict.state}) after its event was deleted writes nothing`, async () => {
    const store = await aWorld({ devices: { ios: 3 } });
    await store.post();
    const [batch] = await claim(store);
    assert.ok(batch);
    await store.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' });
    const tallies = await store.countRows('tally');
    assert.equal(await settle(store, batch, verdict), []);
    for (const table of ['delivery', 'attempt', 'fan_out', 'event']) assert.is(await store.countRows(table), 0, table);
    assert.is(await store.countRows('tally'), tallies);
    assert.equal(await claim(store), []);
  });
}

test.run();

function indexesOf({ events, targets }: Claim, publicId: string): number[] {
  return targets.flatMap(({ event }, index) => (events[event]?.event.publicId === publicId ? index : []));
}

/** Answers the events that have nothing left to send. */
async function settleSome(
  { calls }: TemporaryStore,
  { claimId }: Claim,
  indexes: readonly number[],
  verdict: Parameters<typeof settle>[2] = { state: 'accepted' },
): Promise<readonly string[]> {
  const verdicts = indexes.map((index) => ({ index, verdict: verdict as never, fitted: false, linksLost: false }));
  return (await calls.settleBatch({ claimId, verdicts })).finished;
}
