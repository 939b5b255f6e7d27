import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperatorProblem } from '../../../src/process/problem.ts';
import { isRefusal, StoreUnavailable } from '../../../src/store/calls.ts';
import type { Held } from '../../../src/store/transports/call-line.ts';
import { openLocalStore } from '../../../src/store/transports/socket-or-in-process.ts';
import {
  openStoreThread,
  type StoreThread,
  type StoreThreadOptions,
} from '../../../src/store/transports/thread-client.ts';
import { assertEach } from '../../support/assert-each.ts';
import { ADA } from '../../support/cast.ts';
import { withSmallDisk } from '../../support/disk.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { granted } from '../../support/refusals.ts';
import { Resources } from '../../support/resources.ts';
import { someSettings } from '../../support/store.ts';
import { storeProcess } from '../../support/store-process.ts';
import { commitsInWal } from '../../support/wal.ts';
import { aDevice, aWorkspace, tokenOf } from '../../support/workspace.ts';
import { linesOf } from '../../support/world.ts';

async function withThread(use: (store: StoreThread, dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = temporaryFolder();
  await using opened = new Resources();
  await use(opened.add(await openStoreThread({ dataDir, settings: someSettings() })), dataDir);
}

function dyingThread(options: Partial<StoreThreadOptions> = {}): Promise<StoreThread> {
  const module = new URL('../../support/dying-thread.js', import.meta.url);
  return openStoreThread({ dataDir: temporaryFolder(), settings: someSettings(), module, ...options });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Asks again and again. */
async function untilRefused(ask: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    const refused = await rejection(ask());
    if (refused !== undefined) return refused;
  }
}

function createWorkspaces(store: StoreThread, count: number, prefix: string) {
  return Array.from({ length: count }, (_, n) => store.createWorkspace({ slug: `${prefix}${n}` }));
}

test('calls that arrive together share one commit, those that arrive meanwhile the next', () =>
  withThread(async (store, dataDir) => {
    const wal = join(dataDir, 'pushctl.db-wal');
    const before = commitsInWal(wal);
    const first = createWorkspaces(store, 3, 'first-');
    await nextTurn();
    const meanwhile = createWorkspaces(store, 100, 'meanwhile-');
    await Promise.all([...first, ...meanwhile]);
    assert.is(commitsInWal(wal), before + 2);
    assert.is((await store.listWorkspaces({})).length, 103);
  }));

test('a claim goes to an idle thread before the calls that the rest of the turn makes', async () => {
  await using opened = new Resources();
  const groups: number[] = [];
  const onHeld = (held: Held) => held.by === 'group' && groups.push(held.calls);
  const store = opened.add(await openStoreThread({ dataDir: temporaryFolder(), settings: someSettings(), onHeld }));
  const claims = (['apns_production', 'fcm'] as const).map((route) =>
    store.claimBatches({ route, lane: 'standard', limit: 100, batchSize: 100 }),
  );
  const later = Promise.resolve().then(() => Promise.all(createWorkspaces(store, 3, 'later-')));
  await Promise.all([...claims, later]);
  assert.equal(groups, [2, 3]);
});

test('one of many parts of a request goes with each commit', () =>
  withThread(async (store, dataDir) => {
    await aWorkspace(store);
    const wal = join(dataDir, 'pushctl.db-wal');
    const before = commitsInWal(wal);
    const parts = ['one', 'two', 'three'].map((importId) => {
      return store.stageImport({ importId, workspace: 'acme', email: ADA, lines: linesOf([aDevice()]) });
    });
    await Promise.all([...parts, ...createWorkspaces(store, 10, 'w')]);
    assert.is(commitsInWal(wal), before + parts.length);
  }));

test('it reports for how long each group held the thread', async () => {
  await using opened = new Resources();
  const held: Held[] = [];
  const onHeld = (call: Held) => held.push(call);
  const store = opened.add(await openStoreThread({ dataDir: temporaryFolder(), settings: someSettings(), onHeld }));
  await Promise.all(createWorkspaces(store, 3, 'w'));
  const [group] = held;
  if (group?.by !== 'group') throw new Error('no group was reported');
  assert.is(group.calls, 3);
  assert.ok(group.tookMs > 0 && group.tookMs <= group.answeredMs, 'the way there and back is not the thread at work');
});

test('a refusal is an answer', () =>
  withThread(async (store) => {
    assert.ok(isRefusal(await store.listChannels({ workspace: 'nowhere' })));
  }));

test('a listener runs before the answer of the call that touched its topic, and only then', () =>
  withThread(async (store) => {
    const order: string[] = [];
    store.onTouched('keys', () => order.push('touched'));
    await store.createWorkspace({ slug: 'acme' });
    assert.equal(order, []);
    await store.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }).then(() => order.push('answered'));
    assert.equal(order, ['touched', 'answered']);
  }));

test('pushes that may no longer be sent are reported before the answer of the call that ended them', () =>
  withThread(async (store) => {
    const acme = await aWorkspace(store);
    const id = await acme.addDevice();
    await acme.accept();
    const lane = { route: 'apns_production', lane: 'standard', limit: 1, batchSize: 1 } as const;
    const [claim] = (await store.claimBatches(lane)).claims;
    const reported: unknown[] = [];
    store.onRevocations((ends) => reported.push(...ends.map(({ deviceId, upTo }) => [deviceId, upTo])));
    await store.removeDevice({ id }).then(() => reported.push('answered'));
    assert.equal(reported[0], [claim?.targets[0]?.deviceId, claim?.order]);
    assert.is(reported.indexOf('answered'), reported.length - 1);
  }));

test('a thread that dies refuses its open calls and all later ones, and notifies the server', async () => {
  await using opened = new Resources();
  const fatal: Error[] = [];
  const store = opened.add(await dyingThread({ onFatal: (error) => fatal.push(error) }));
  const lost = await rejection(store.ping({}));
  assert.instance(lost, StoreUnavailable);
  assert.match((lost as StoreUnavailable).reason, 'the thread met its end');
  assert.instance(await rejection(store.ping({})), StoreUnavailable);
  assert.not(await store.isAlive());
  assert.is(fatal.length, 1);
});

test('more calls than may wait are refused at once, and that is no sign of death', async () => {
  await using opened = new Resources();
  const store = opened.add(
    await openStoreThread({ dataDir: temporaryFolder(), settings: someSettings(), maxWaiting: 2 }),
  );
  const [first, second, third, isAlive] = [store.ping({}), store.ping({}), rejection(store.ping({})), store.isAlive()];
  assert.is(((await third) as StoreUnavailable).reason, 'overloaded');
  assert.ok(await isAlive);
  await Promise.all([first, second]);
});

test('closing finishes earlier calls, and refuses later ones', async () => {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  const store = opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
  const asked = createWorkspaces(store, 1_500, 'w');
  const closed = store.close();
  assert.instance(await rejection(store.ping({})), StoreUnavailable);
  await Promise.all(asked);
  await closed;
  const again = opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
  assert.is((await again.listWorkspaces({})).length, 1_500);
});

test('acknowledged calls are there after a kill -9', async () => {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  const holder = await storeProcess(opened, dataDir);
  await holder.kill();
  const store = opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
  assertEach(await store.listWorkspaces({}), ({ slug }) => slug, ['acknowledged']);
});

test('a data folder that another process owns is a problem that names it', async () => {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  const holder = await storeProcess(opened, dataDir);
  const problem = await rejection(openStoreThread({ dataDir, settings: someSettings() }));
  assert.instance(problem, OperatorProblem);
  assert.match((problem as Error).message, `(process ${holder.pid}, since `);
});

test('a corrupt database is a problem, not a crash', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'pushctl.db'), 'not a database. '.repeat(500));
  const problem = await rejection(openStoreThread({ dataDir, settings: someSettings() }));
  assert.instance(problem, OperatorProblem);
  assert.match((problem as Error).message, 'is not an SQLite database');
});

test('an import on a disk that is full leaves nothing before its commit, and goes on after it once there is room', () =>
  withSmallDisk(8_192, async (dataDir) => {
    await using opened = new Resources();
    const store = opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
    await aWorkspace(store);
    const place = { importId: 'kept', workspace: 'acme', email: ADA };
    const lines = linesOf(Array.from({ length: 500 }, (_, n) => aDevice({ token: tokenOf(n), subscribe: [] })));
    granted(await store.stageImport({ ...place, lines }));
    granted(await store.commitImport(place));
    const ballast = join(dataDir, 'ballast');
    assert.throws(() => writeFileSync(ballast, Buffer.alloc(16_384 * 1_024)), /ENOSPC/);
    assert.instance(await untilRefused(() => store.registerImported(place)), StoreUnavailable);
    const other = { ...place, importId: 'other' };
    assert.instance(await untilRefused(() => store.stageImport({ ...other, lines })), StoreUnavailable);
    await rm(ballast);
    while (!granted(await store.registerImported(place)).done);
    await store.dropImport(other);
    while (!(await store.pruneStep({})).done);
    const { devices } = granted(await store.listDevices({ workspace: 'acme', limit: 1_000 }));
    assert.is(devices.length, 500);
  }));

test('on a disk that is full, writes are refused, reads answered, nothing acknowledged is lost, and it recovers', () =>
  withSmallDisk(2_048, async (dataDir) => {
    await using opened = new Resources();
    const store = opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
    assert.throws(() => writeFileSync(join(dataDir, 'ballast'), Buffer.alloc(4_096 * 1_024)), /ENOSPC/);
    const done: string[] = [];
    let refused: unknown;
    for (let n = 0; !refused; n++) {
      refused = await rejection(store.createWorkspace({ slug: `w${n}` }));
      if (!refused) done.push(`w${n}`);
    }
    assert.instance(refused, StoreUnavailable);
    assert.match((refused as StoreUnavailable).reason, /SQLITE_(FULL|IOERR)/);
    const slugs = async () => (await store.listWorkspaces({})).map(({ slug }) => slug).sort();
    assert.equal(await slugs(), [...done].sort());
    await rm(join(dataDir, 'ballast'));
    await store.createWorkspace({ slug: 'recovered' });
    assert.equal(await slugs(), [...done, 'recovered'].sort());
  }));

test('an end that was no stop is known until every page was looked at, no matter which process has the folder in between', async () => {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  const open = async () => opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
  const first = await open();
  assert.not(first.wasKilled);
  await first.close();
  // Leaves the folder of a killed server.
  writeFileSync(join(dataDir, 'owner.json'), '{"pid":1,"command":"pushctl serve"}');
  const command = openLocalStore({ dataDir, settings: someSettings() });
  granted(await command.createWorkspace({ slug: 'acme' }));
  await command.close();
  const stopped = await open();
  assert.ok(stopped.wasKilled);
  await stopped.close();
  const checked = await open();
  assert.ok(checked.wasKilled, 'it was stopped before its look was over');
  assert.equal(await checked.check(), []);
  await checked.close();
  assert.not((await open()).wasKilled);
});

test.run();
