import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperatorProblem } from '../../../../src/process/problem.ts';
import { databasePath } from '../../../../src/store/data-folder.ts';
import { findDamage, openReadOnly } from '../../../../src/store/sqlite/database.ts';
import { backUp } from '../../../../src/store/sqlite/files/backup.ts';
import { restore } from '../../../../src/store/sqlite/files/restore.ts';
import { openLocalStore } from '../../../../src/store/transports/socket-or-in-process.ts';
import { openStoreThread, type StoreThread } from '../../../../src/store/transports/thread-client.ts';
import { dataFolder } from '../../../support/data-folder.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { underLoad } from '../../../support/load.ts';
import { problemIn } from '../../../support/problem.ts';
import { Resources } from '../../../support/resources.ts';
import { SimulatedClock } from '../../../support/simulation.ts';
import { someSettings } from '../../../support/store.ts';
import { storeProcess } from '../../../support/store-process.ts';
import { aWorkspace } from '../../../support/workspace.ts';

async function withStore(use: (store: StoreThread, dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = dataFolder();
  await using opened = new Resources();
  const store = opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
  await store.createWorkspace({ slug: 'acme' });
  await store.createChannel({ workspace: 'acme', slug: 'alerts' });
  await use(store, dataDir);
}

test('a backup made under load is one consistent moment, in one file that only its owner may read', () =>
  withStore(async (store, dataDir) => {
    const folder = temporaryFolder();
    const file = join(folder, 'backup.db');
    const load = underLoad(store);
    const steps: number[] = [];
    while ((await store.readUsage({ workspaceId: 1 })).used < 2_000);
    const backup = await backUp({ dataDir, file, onProgress: (copied) => steps.push(copied) });
    const posted = await load.stop();

    assert.equal(readdirSync(folder), ['backup.db']);
    assert.is(statSync(file).mode & 0o777, 0o600);
    assert.ok(backup.events >= 2_000 && backup.events <= posted);
    const copy = openReadOnly(file);
    assert.equal(findDamage(copy), []);
    const counted = (sql: string) => copy.prepare(sql).pluck().get();
    assert.is(counted('SELECT count(*) FROM event'), backup.events);
    assert.is(counted('SELECT events FROM usage'), backup.events);
    assert.is(counted("SELECT sum(count) FROM tally WHERE measure = 'events'"), backup.events);
    copy.close();
  }));

test('a file that exists already is left as it is', () =>
  withStore(async (_, dataDir) => {
    const file = join(temporaryFolder(), 'backup.db');
    writeFileSync(file, 'precious');
    assert.match((await problemIn(backUp({ dataDir, file }))).message, 'exists already');
    assert.is(statSync(file).size, 8);
  }));

test('a backup that fails leaves nothing behind', () =>
  withStore(async (_, dataDir) => {
    const folder = temporaryFolder();
    const file = join(folder, 'backup.db');
    const stop = () => {
      throw new OperatorProblem('enough');
    };
    assert.is((await problemIn(backUp({ dataDir, file, onProgress: stop }))).message, 'enough');
    assert.equal(readdirSync(folder), []);
    assert.match(
      (await problemIn(backUp({ dataDir, file: join(folder, 'no', 'where.db') }))).message,
      'cannot be written',
    );
  }));

test('without a server, also after one that was killed, the last committed state is backed up', async () => {
  await using opened = new Resources();
  const dataDir = dataFolder();
  const server = await storeProcess(opened, dataDir);
  await server.kill();
  assert.ok(existsSync(join(dataDir, 'pushctl.db-wal')));
  const file = join(temporaryFolder(), 'backup.db');
  await backUp({ dataDir, file });
  const copy = openReadOnly(file);
  assert.equal(copy.prepare('SELECT slug FROM workspace').pluck().all(), ['acknowledged']);
  copy.close();
});

test('a folder without a database, and an empty one, cannot be backed up', async () => {
  const file = join(temporaryFolder(), 'backup.db');
  const dataDir = temporaryFolder();
  assert.match((await problemIn(backUp({ dataDir, file }))).message, 'there is no database');
  writeFileSync(join(dataDir, 'pushctl.db'), '');
  assert.match((await problemIn(backUp({ dataDir, file }))).message, 'empty');
});

test('a backup can be made while a command has the data folder', async () => {
  const dataDir = dataFolder();
  const store = openLocalStore({ dataDir, settings: someSettings() });
  await store.createWorkspace({ slug: 'acme' });
  const { events } = await backUp({ dataDir, file: join(temporaryFolder(), 'backup.db') });
  assert.is(events, 0);
  await store.close();
});

test('it says how many workspaces, devices and events were found in it', async () => {
  const dataDir = dataFolder();
  const store = openLocalStore({ dataDir, settings: someSettings() });
  const acme = await aWorkspace(store, { devices: { ios: 2 } });
  await acme.accept();
  const { workspaces, devices, events } = await backUp({ dataDir, file: join(temporaryFolder(), 'backup.db') });
  assert.equal([workspaces, devices, events], [1, 2, 1]);
  await store.close();
});

test('a folder of backups that are named by their time takes none of another database', async () => {
  const folder = temporaryFolder();
  const backedUp = async (dataDir: string, name: string) => (await backUp({ dataDir, file: join(folder, name) })).file;
  const [first, second] = [temporaryFolder(), temporaryFolder()];
  await withWorkspace(first, 1);
  await withWorkspace(second, 2);
  const ours = await backedUp(first, 'pushctl-2025-11-21T030000Z.db');
  const refusal = await problemIn(backedUp(second, 'pushctl-2025-11-22T030000Z.db'));
  assert.match(refusal.message, `${ours} is a backup of another database`);
  assert.match(refusal.message, 'its own folder');
  const inSameSecond = await problemIn(backedUp(second, 'pushctl-2025-11-21T030000Z.db'));
  assert.match(inSameSecond.message, `${ours} is a backup of another database`);
  await backedUp(second, 'by-hand.db');
  await backedUp(first, 'pushctl-2025-11-22T030000Z.db');
  const restored = temporaryFolder();
  restore({ dataDir: restored, file: ours, resend: false, wallMs: Date.now() });
  await backedUp(restored, 'pushctl-2025-11-23T030000Z.db');
  writeFileSync(join(folder, 'pushctl-2025-11-24T030000Z.db'), 'a damaged one says nothing');
  await backedUp(second, 'pushctl-2025-11-25T030000Z.db');
});

test('the tables that Litestream makes beside it are no obstacle to a backup, nor to its restore', async () => {
  const dataDir = dataFolder();
  await withWorkspace(dataDir, 1);
  const db = new Database(databasePath(dataDir));
  // The tables of Litestream 0.5.
  db.exec(`CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
    CREATE TABLE _litestream_lock (id INTEGER)`);
  db.close();
  const { file } = await backUp({ dataDir, file: join(temporaryFolder(), 'backup.db') });
  restore({ dataDir, file, resend: false, wallMs: Date.now() });
});

test('a database whose schema is not its own could not be restored, so there is no backup of it', async () => {
  const dataDir = dataFolder();
  await withWorkspace(dataDir, 1);
  const db = new Database(databasePath(dataDir));
  db.exec('CREATE TABLE theirs (id INTEGER)');
  db.close();
  const folder = temporaryFolder();
  const { message } = await problemIn(backUp({ dataDir, file: join(folder, 'backup.db') }));
  assert.match(message, /the schema of .* is not that of pushctl \(table theirs\)/);
  assert.equal(readdirSync(folder), []);
});

test.run();

async function withWorkspace(dataDir: string, wallMs: number): Promise<void> {
  const store = openLocalStore({ dataDir, settings: someSettings() }, undefined, new SimulatedClock(wallMs));
  await store.createWorkspace({ slug: 'acme' });
  await store.close();
}
