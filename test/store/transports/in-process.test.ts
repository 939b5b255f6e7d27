import { chmodSync, chownSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperatorProblem } from '../../../src/process/problem.ts';
import { isRefusal, StoreUnavailable } from '../../../src/store/calls.ts';
import { FolderInUse } from '../../../src/store/sqlite/files/lock.ts';
import { openLocalStore, openStore } from '../../../src/store/transports/socket-or-in-process.ts';
import { remountReadOnly, withSmallDisk } from '../../support/disk.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { Resources } from '../../support/resources.ts';
import { someSettings } from '../../support/store.ts';
import { storeProcess } from '../../support/store-process.ts';

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

function open(dataDir: string) {
  return openLocalStore({ dataDir, settings: someSettings() });
}

function problemAt(dataDir: string): string {
  try {
    open(dataDir);
  } catch (error) {
    assert.instance(error, OperatorProblem);
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
}

test('a missing data folder is made, for its owner only', async () => {
  const dataDir = join(temporaryFolder(), 'deep', 'inside');
  const store = open(dataDir);
  await store.createWorkspace({ slug: 'acme' });
  assert.is(statSync(dataDir).mode & 0o777, 0o700);
  for (const file of readdirSync(dataDir)) assert.is(statSync(join(dataDir, file)).mode & 0o077, 0, file);
  await store.close();
});

test('once closed it refuses, and leaves the data folder to the next', async () => {
  const dataDir = temporaryFolder();
  const store = open(dataDir);
  await store.close();
  await store.close();
  assert.instance(await store.ping({}).catch((error: unknown) => error), StoreUnavailable);
  await open(dataDir).close();
  assert.equal(readdirSync(dataDir).sort(), ['owner.lock', 'pushctl.db']);
});

test('calls from before the close are carried out', async () => {
  const dataDir = temporaryFolder();
  const store = open(dataDir);
  const asked = [store.createWorkspace({ slug: 'acme' }), store.createChannel({ workspace: 'acme', slug: 'alerts' })];
  await store.close();
  assert.equal((await Promise.all(asked)).filter(isRefusal), []);
  const again = open(dataDir);
  assert.is((await again.listWorkspaces({})).length, 1);
  await again.close();
});

test('a second opener learns which process holds the data folder, even in the same process', async () => {
  const dataDir = temporaryFolder();
  const store = open(dataDir);
  assert.match(problemAt(dataDir), new RegExp(`in use by \`pushctl.*\` \\(process ${process.pid}, since .*\\)`));
  await store.close();
});

test('the command line gives up on a folder in use once its time is over, however long each look has taken', async () => {
  const dataDir = temporaryFolder();
  const store = open(dataDir);
  let looks = 0;
  const clock = { wallMs: Date.now, steadyMs: () => 1_600 * looks++ };
  const options = { dataDir, settings: someSettings(), version: '1', timeoutMs: 3_000, clock };
  assert.instance(await openStore(options).catch((error: unknown) => error), FolderInUse);
  assert.is(looks, 3, 'it began, and looked twice');
  await store.close();
});

test('the lock of a process that was killed with -9 is free', async () => {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  const holder = await storeProcess(opened, dataDir);
  assert.match(problemAt(dataDir), `process ${holder.pid}`);
  await holder.kill();
  await open(dataDir).close();
});

test('a failed open holds no lock', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'pushctl.db'), 'not a database. '.repeat(500));
  assert.match(problemAt(dataDir), 'is not an SQLite database');
  writeFileSync(join(dataDir, 'pushctl.db'), '');
  await open(dataDir).close();
});

test('a file in place of the data folder, or above it, is a problem', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  assert.match(problemAt(file), `data_dir ${file} is not a folder`);
  assert.match(problemAt(join(file, 'below')), 'is not a folder');
});

test('a data folder in an impossible place is a problem, not an endless search', () => {
  assert.match(problemAt('/proc/nowhere/pushctl'), '/proc/nowhere');
});

test('a folder of another user is a problem that names both', async () => {
  await using opened = new Resources();
  if (!isRoot) return;
  const dataDir = temporaryFolder();
  const { problem } = await storeProcess(opened, dataDir, NOBODY);
  assert.match(problem ?? '', `${dataDir} cannot be written: it belongs to user 0, but pushctl runs as user ${NOBODY}`);
});

test('a database that another user left behind is a problem that names both', async () => {
  await using opened = new Resources();
  if (!isRoot) return;
  const dataDir = temporaryFolder();
  await open(dataDir).close();
  chownSync(dataDir, NOBODY, NOBODY);
  const { problem } = await storeProcess(opened, dataDir, NOBODY);
  assert.match(problem ?? '', /owner\.lock cannot be written: it belongs to user 0/);
});

test('a read-only file system is a problem that says so', () =>
  withSmallDisk(2_048, (dataDir) => {
    remountReadOnly(dataDir);
    const problem = problemAt(dataDir);
    assert.match(problem, 'is on a read-only file system');
    assert.match(problem, 'Mount it writable, or choose another folder with data_dir or --data-dir.');
  }));

test('root leaves every file to the owner of the data folder', async () => {
  await using opened = new Resources();
  if (!isRoot) return;
  const dataDir = temporaryFolder();
  chownSync(dataDir, NOBODY, NOBODY);
  const store = await openStore({ dataDir, settings: someSettings(), version: '1', canCreate: true });
  await store.createWorkspace({ slug: 'acme' });
  const files = readdirSync(dataDir);
  assert.equal(files.sort(), ['owner.json', 'owner.lock', 'pushctl.db', 'pushctl.db-shm', 'pushctl.db-wal']);
  for (const file of files) assert.is(statSync(join(dataDir, file)).uid, NOBODY, file);
  await store.close();
  const service = await storeProcess(opened, dataDir, NOBODY);
  assert.is(service.problem, undefined);
});

test('root keeps out of a folder of another user, unless it acts as that one', () => {
  if (!isRoot) return;
  const dataDir = temporaryFolder();
  chownSync(dataDir, NOBODY, NOBODY);
  assert.match(problemAt(dataDir), `belongs to user ${NOBODY}, but pushctl runs as root`);
  assert.equal(readdirSync(dataDir), []);
});

test('a folder that others can write is refused', () => {
  const dataDir = temporaryFolder();
  for (const mode of [0o777, 0o770, 0o1777, 0o702]) {
    chmodSync(dataDir, mode);
    assert.match(problemAt(dataDir), /can be written by users other than its owner \(mode \d+\)\. Close it: chmod 700/);
  }
  assert.equal(readdirSync(dataDir), []);
});

test.run();
