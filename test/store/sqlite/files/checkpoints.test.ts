import { copyFileSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { databasePath } from '../../../../src/store/data-folder.ts';
import { openDatabase, openReadOnly } from '../../../../src/store/sqlite/database.ts';
import { Checkpoints, type LogState, writeAheadLog } from '../../../../src/store/sqlite/files/checkpoints.ts';
import { migrate } from '../../../../src/store/sqlite/migrations.ts';
import { ReadWorkerClient } from '../../../../src/store/transports/read-worker-client.ts';
import { openStoreThread } from '../../../../src/store/transports/thread-client.ts';
import { ADA } from '../../../support/cast.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { granted } from '../../../support/refusals.ts';
import { Resources } from '../../../support/resources.ts';
import { someSettings } from '../../../support/store.ts';
import { aDevice, aWorkspace, tokenOf } from '../../../support/workspace.ts';
import { linesOf } from '../../../support/world.ts';

const PAGE_BYTES = 4_096;

/** With everything that is asked of the two threads, and a pass that ends when the test says so. */
function aLog() {
  const asked: string[] = [];
  let end: (log: LogState | null) => void = () => {};
  const checkpoints = new Checkpoints({
    pass: () => {
      asked.push('pass');
      return new Promise((resolve) => {
        end = resolve;
      });
    },
    ask: (finish) => asked.push(finish ? 'finish' : 'state'),
  });
  const passEnds = async (log: LogState | null) => {
    end(log);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { checkpoints, asked, passEnds };
}

test('A thousand pages are worth a pass beside the store thread, one pass at a time', async () => {
  const { checkpoints, asked, passEnds } = aLog();
  checkpoints.note({ pages: 999, left: 999 });
  assert.equal(asked, []);
  checkpoints.note({ pages: 1_000, left: 1_000 });
  checkpoints.note({ pages: 2_500, left: 2_500 });
  assert.equal(asked, ['pass']);
  await passEnds({ pages: 1_000, left: 0 });
  checkpoints.note({ pages: 2_600, left: 1_600 });
  assert.equal(asked, ['pass', 'state', 'pass']);
});

test('The store thread checkpoints the last few pages of a long log, so the log starts over', async () => {
  const { checkpoints, asked, passEnds } = aLog();
  checkpoints.note({ pages: 4_000, left: 900 });
  await passEnds({ pages: 4_000, left: 0 });
  checkpoints.note({ pages: 4_100, left: 100 });
  assert.equal(asked, ['pass', 'state', 'finish']);
  checkpoints.note({ pages: 4_100, left: 0 });
  checkpoints.note({ pages: 20, left: 20 });
  assert.is(asked.length, 3);
});

test('If more is written than passes checkpoint, the store thread does the rest after the third', async () => {
  const { checkpoints, asked, passEnds } = aLog();
  for (let pages = 4_000; pages < 7_000; pages += 1_000) {
    checkpoints.note({ pages, left: 800 });
    await passEnds({ pages, left: 0 });
  }
  checkpoints.note({ pages: 7_000, left: 800 });
  assert.equal(asked, ['pass', 'state', 'pass', 'state', 'pass', 'state', 'finish']);
});

test('Deferrable work waits from a long log on until nothing is left of it', async () => {
  const { checkpoints, passEnds } = aLog();
  checkpoints.note({ pages: 3_999, left: 3_999 });
  assert.not(checkpoints.isCatchingUp);
  checkpoints.note({ pages: 4_000, left: 4_000 });
  assert.ok(checkpoints.isCatchingUp);
  await passEnds({ pages: 4_000, left: 0 });
  checkpoints.note({ pages: 4_000, left: 0 });
  assert.not(checkpoints.isCatchingUp);
});

for (const [why, seen] of [
  ['a client reads', { pages: 4_000, left: 3_000 }],
  ['cannot be checkpointed', null],
] as const) {
  test(`A log that ${why} grows meanwhile, is tried again every thousand pages, and nothing waits for it`, async () => {
    const { checkpoints, asked, passEnds } = aLog();
    checkpoints.note({ pages: 4_000, left: 3_000 });
    await passEnds(seen);
    checkpoints.note({ pages: 4_500, left: 3_500 });
    assert.not(checkpoints.isCatchingUp);
    assert.equal(asked, ['pass', 'state']);
    checkpoints.note({ pages: 5_000, left: 4_000 });
    assert.equal(asked, ['pass', 'state', 'pass']);
    await passEnds({ pages: 5_000, left: 0 });
    assert.ok(checkpoints.isCatchingUp);
  });
}

test('Commits leave checkpoints to the thread beside the store, and it copies everything except pages that a client reads', async () => {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  const db = openDatabase(databasePath(dataDir));
  migrate(db);
  const log = writeAheadLog(db);
  const readWorker = opened.add(new ReadWorkerClient(dataDir, { settings: someSettings() }));
  await readWorker.checkpoint();
  db.exec('CREATE TABLE filler (bytes BLOB)');
  const write = db.prepare(`INSERT INTO filler VALUES (zeroblob(${PAGE_BYTES}))`);
  for (let row = 0; row < 1_500; row += 1) write.run();
  assert.ok(log.state().left > 1_500);
  assert.is((await readWorker.checkpoint())?.left, 0);
  assert.is(log.state().left, 0);
  write.run();
  const reader = openReadOnly(databasePath(dataDir));
  reader.exec('BEGIN; SELECT count(*) FROM filler');
  write.run();
  assert.ok(((await readWorker.checkpoint())?.left ?? 0) > 0);
  reader.close();
  assert.is(log.checkpoint().left, 0);
  db.close();
});

test('A file that has taken the place of the database gets nothing of its log', async () => {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  const path = databasePath(dataDir);
  const db = openDatabase(path);
  migrate(db);
  const readWorker = opened.add(new ReadWorkerClient(dataDir, { settings: someSettings() }));
  db.pragma('wal_checkpoint(TRUNCATE)');
  copyFileSync(path, `${path}.copy`);
  db.exec('CREATE TABLE later (a)');
  renameSync(`${path}.copy`, path);
  const before = readFileSync(path);
  assert.is(await readWorker.checkpoint(), null);
  assert.equal(readFileSync(path), before);
  db.close();
});

test('A log of which the thread beside the store cannot make anything is none', async () => {
  await using opened = new Resources();
  const readWorker = opened.add(new ReadWorkerClient(temporaryFolder(), { settings: someSettings() }));
  assert.is(await readWorker.checkpoint(), null);
});

test('The log of a large import starts over again and again, also if nothing else is written', async () => {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  const store = opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
  await aWorkspace(store);
  const place = { importId: 'one', workspace: 'acme', email: ADA };
  const devices = Array.from({ length: 6_000 }, (_, n) => aDevice({ token: tokenOf((n * 7_919_999) % 1_000_003) }));
  for (let from = 0; from < devices.length; from += 500) {
    granted(await store.stageImport({ ...place, lines: linesOf(devices.slice(from, from + 500), from + 1) }));
  }
  granted(await store.commitImport(place));
  while (!granted(await store.registerImported(place)).done);
  assert.ok(statSync(join(dataDir, 'pushctl.db-wal')).size < 6_000 * PAGE_BYTES);
  const db = new Database(databasePath(dataDir), { readonly: true });
  assert.is(db.prepare('SELECT count(*) FROM device').pluck().get(), 6_000);
  db.close();
});

test.run();
