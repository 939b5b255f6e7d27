import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CALL_NAMES, CALLS, isRefusal, StoreUnavailable } from '../../../src/store/calls.ts';
import { databasePath } from '../../../src/store/data-folder.ts';
import { openReadOnly, openSecond } from '../../../src/store/sqlite/database.ts';
import { checkpointOf } from '../../../src/store/sqlite/files/checkpoints.ts';
import { ReadWorkerClient } from '../../../src/store/transports/read-worker-client.ts';
import { readingHandlers } from '../../../src/store/transports/reading-handlers.ts';
import { openLocalStore } from '../../../src/store/transports/socket-or-in-process.ts';
import { openStoreThread } from '../../../src/store/transports/thread-client.ts';
import { assertEach } from '../../support/assert-each.ts';
import { ADA } from '../../support/cast.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { granted } from '../../support/refusals.ts';
import { Resources } from '../../support/resources.ts';
import { someSettings } from '../../support/store.ts';
import { until } from '../../support/until.ts';
import { aDevice, aWorkspace } from '../../support/workspace.ts';
import { linesOf, NOW_MS } from '../../support/world.ts';

const HOUR_MS = 3_600_000;
const ALL = { sinceMs: NOW_MS - 90 * 24 * HOUR_MS };
const QUESTION = { name: 'stats', args: ALL } as const;

async function aStore(opened: Resources) {
  const dataDir = temporaryFolder();
  const store = opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
  return { dataDir, store };
}

/** Counters of 90 days with so many channels in use at every hour, each with the rows of an hour with failures. */
function keepBusy(dataDir: string, channels: number): void {
  const db = new Database(databasePath(dataDir));
  db.exec(`
    WITH RECURSIVE hours (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM hours WHERE n < 2159),
      channels (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM channels WHERE n < ${channels})
    INSERT INTO tally SELECT ${NOW_MS} - ${NOW_MS} % ${HOUR_MS} - hours.n * ${HOUR_MS}, 1, channels.n, 'fcm', measure, reason, 1
    FROM hours, channels, (SELECT 'accepted' AS measure, '' AS reason UNION SELECT 'failed', 'INTERNAL' UNION
      SELECT 'unregistered', 'UNREGISTERED' UNION SELECT 'deferred', 'UNAVAILABLE' UNION SELECT 'events', '')`);
  db.close();
}

test('While statistics of 90 days are counted, the store goes on with everything else', async () => {
  await using opened = new Resources();
  const { dataDir, store } = await aStore(opened);
  keepBusy(dataDir, 20);
  let tries = 0;
  // A busy machine may give its time to the counting alone. If the store did the counting, nothing would ever come
  // before its end.
  await until('something is done while it counts', async () => {
    let isCounted = false;
    const counting = store.stats(ALL).finally(() => {
      isCounted = true;
    });
    await store.createWorkspace({ slug: `meanwhile-${tries++}` });
    const isDoneBefore = !isCounted;
    const counted = await counting;
    assert.is(isRefusal(counted) ? 0 : counted.totals.accepted, 2160 * 20);
    return isDoneBefore;
  });
});

test('While questions wait for the reading thread, the log is checkpointed all the same', async () => {
  await using opened = new Resources();
  const { dataDir, store } = await aStore(opened);
  await aWorkspace(store);
  keepBusy(dataDir, 20);
  const db = openSecond(databasePath(dataDir));
  opened.onEnd(() => db.close());
  const log = checkpointOf(db, 'NOOP');
  let isCounted = false;
  const counting = Array.from({ length: 45 }, () => store.stats(ALL).catch(() => null));
  void Promise.all(counting).then(() => {
    isCounted = true;
  });
  const long = Array.from({ length: 500 }, () =>
    aDevice({ platform: 'android', token: 'x'.repeat(4_000), subscribe: [] }),
  );
  let left = 0;
  for (let part = 0; log().left >= left; part += 1) {
    left = log().left;
    const lines = linesOf(long, part * long.length + 1);
    granted(await store.stageImport({ importId: 'one', workspace: 'acme', email: ADA, lines }));
  }
  assert.not(isCounted);
  assert.ok(log().pages < 16_000, 'or a commit has checkpointed it after all');
});

test('A client that asks for very much at once about one workspace is refused, and others are answered', async () => {
  await using opened = new Resources();
  const { store } = await aStore(opened);
  granted(await store.createWorkspace({ slug: 'greedy' }));
  granted(await store.createWorkspace({ slug: 'modest' }));
  const asked = Array.from({ length: 20 }, () => store.stats({ ...ALL, workspace: 'greedy' }));
  const modest = store.stats({ ...ALL, workspace: 'modest' });
  const outcomes = await Promise.allSettled(asked);
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason);
  // One is being counted while ten wait.
  assert.is(refused.length, 9);
  for (const reason of refused) assert.is((reason as StoreUnavailable).reason, 'overloaded');
  assert.not(isRefusal(await modest));
});

test('Statistics include everything committed before the request', async () => {
  await using opened = new Resources();
  const { store } = await aStore(opened);
  for (const slug of ['one', 'two']) {
    await store.createWorkspace({ slug });
    const stats = await store.stats({ ...ALL, workspace: slug });
    assert.not(isRefusal(stats), slug);
  }
  assert.ok(isRefusal(await store.stats({ ...ALL, workspace: 'three' })));
});

test('A store that closes gives up a running count, and says so', async () => {
  await using opened = new Resources();
  const { dataDir, store } = await aStore(opened);
  keepBusy(dataDir, 20);
  const counting = store.stats(ALL).catch((error: unknown) => error);
  await store.close();
  assert.instance(await counting, StoreUnavailable);
  assert.instance(await store.stats(ALL).catch((error: unknown) => error), StoreUnavailable);
});

test('The depth of the queue is counted without the store thread', async () => {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  await openLocalStore({ dataDir, settings: someSettings() }).close();
  let isDead = false;
  const options = { module: new URL('../../support/dying-thread.js', import.meta.url), onFatal: () => (isDead = true) };
  const store = opened.add(await openStoreThread({ dataDir, settings: someSettings(), ...options }));
  assert.equal(new Set((await store.queueDepth({})).map(({ waiting, deferred }) => waiting + deferred)), new Set([0]));
  assert.not(isDead);
  await store.ping({}).catch(() => null);
  assert.ok(isDead, 'it dies of whatever it is asked');
});

for (const [how, dataDir, message] of [
  ['by an error', 'loud', 'the thread met its end'],
  ['without an error', 'quiet', 'ended by itself'],
] as const) {
  test(`Clients of a reading thread that ends ${how} get a bug, and later clients are answered`, async () => {
    const line = new ReadWorkerClient(dataDir, {
      settings: someSettings(),
      module: new URL('../../support/quitting-thread.js', import.meta.url),
    });
    for (const _ of ['first', 'next']) {
      const replies = await Promise.all([line.ask(QUESTION), line.ask(QUESTION)]);
      for (const reply of replies) assert.match(reply.kind === 'bug' ? reply.message : reply.kind, message);
    }
    await line.close();
  });
}

test('A question that comes while its thread rests is not given up when the rest would be over', async () => {
  await using opened = new Resources();
  const { dataDir } = await aStore(opened);
  mock.timers.enable({ apis: ['setTimeout'] });
  using timers = mock.timers;
  const line = opened.add(new ReadWorkerClient(dataDir, { settings: someSettings() }));
  assert.is((await line.ask(QUESTION)).kind, 'answer');
  const next = line.ask(QUESTION);
  timers.tick(60_000);
  assert.is((await next).kind, 'answer');
});

test('A reading thread ends only when SQLite is loaded, as the whole process would be aborted before', async () => {
  const dataDir = temporaryFolder();
  const line = new ReadWorkerClient(dataDir, {
    settings: someSettings(),
    module: new URL('../../support/slow-loading-thread.js', import.meta.url),
  });
  const asked = line.ask(QUESTION);
  const closed = line.close();
  assert.equal(await asked, { kind: 'unavailable', reason: 'closed' });
  await closed;
  assert.ok(existsSync(join(dataDir, 'loaded')));
});

test('The reading thread knows each call that may come to it, and what a key and an operator look for is answered', async () => {
  await using opened = new Resources();
  const { dataDir, store } = await aStore(opened);
  const { workspaceId, accept } = await aWorkspace(store, { devices: { android: 1 } });
  const { event } = await accept({ eventType: 'backup.failed' });
  const db = openReadOnly(databasePath(dataDir));
  const known = Object.keys(readingHandlers(db, someSettings()));
  db.close();
  const offThread = CALL_NAMES.filter((name) => 'offThread' in CALLS[name]);
  assert.ok(offThread.length > 5);
  assert.equal(
    offThread.filter((name) => !known.includes(name)),
    [],
  );

  const looked = { workspaceId, boundKeyId: null, limit: 9, eventType: 'backup.failed' };
  const found = await store.listReachedEvents(looked);
  assert.equal(isRefusal(found) ? found : found.events.map(({ public_id: id }) => id), [event.public_id]);
  const waiting = await store.listWaiting({ after: 0, limit: 9 });
  assertEach(waiting, ({ public_id: id }) => id, [event.public_id]);
  assert.equal(await store.listAlerts({ state: 'ended', limit: 9 }), { alerts: [], next: null });
});

test('A mistake in a statement of the reading thread is a bug, a damaged database is none', async () => {
  await using opened = new Resources();
  const { dataDir, store } = await aStore(opened);
  const db = new Database(databasePath(dataDir));
  db.exec('ALTER TABLE tally RENAME TO other');
  db.close();
  const error = await store.stats(ALL).catch((error: unknown) => error);
  assert.match((error as Error).message, 'no such table: tally');
  assert.not.instance(error, StoreUnavailable);
  const damaged = temporaryFolder();
  writeFileSync(databasePath(damaged), 'no database');
  const broken = new ReadWorkerClient(damaged, { settings: someSettings() });
  assert.is((await broken.ask(QUESTION)).kind, 'unavailable');
  await broken.close();
});

test.run();
