import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { errorReply, openingProblem } from '../../../src/store/sqlite/errors.ts';
import { migrate, schemaVersion } from '../../../src/store/sqlite/migrations.ts';
import { sqlOver } from '../../../src/store/sqlite/sql.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { temporaryStore } from '../../support/store.ts';
import { commitsInWal } from '../../support/wal.ts';

test('every open, not only the first, syncs each commit and checks references', () => {
  const path = join(temporaryFolder(), 'pushctl.db');
  for (let open = 1; open <= 2; open++) {
    const db = openDatabase(path);
    migrate(db);
    assert.is(db.pragma('journal_mode', { simple: true }), 'wal');
    assert.is(db.pragma('synchronous', { simple: true }), 2);
    assert.is(db.pragma('foreign_keys', { simple: true }), 1);
    db.close();
  }
});

test('a file that is no database is a problem with a way out', () => {
  const path = join(temporaryFolder(), 'pushctl.db');
  writeFileSync(path, 'this is a letter, not a database. '.repeat(200));
  assert.throws(() => openDatabase(path), /is not an SQLite database\. Restore a backup with `pushctl restore`/);
});

test('a disk that is full when a server starts is no reason to restore a backup, nor is one that fails', () => {
  const problemOf = (code: string) =>
    openingProblem('pushctl.db', new Database.SqliteError('disk I/O error', code)).message;
  assert.match(problemOf('SQLITE_IOERR_SHMSIZE'), /^there is no space left for pushctl\.db\. Free some/);
  assert.match(problemOf('SQLITE_IOERR_READ'), /journalctl -k -p err/);
  for (const code of ['SQLITE_IOERR_SHMSIZE', 'SQLITE_IOERR_READ', 'SQLITE_FULL']) {
    assert.not.match(problemOf(code), 'restore', code);
  }
});

test('a failed write is told apart from a page that cannot be read', () => {
  const damageOf = (code: string) => {
    const reply = errorReply(new Database.SqliteError('disk I/O error', code));
    return reply.kind === 'unavailable' ? reply.damage : reply;
  };
  for (const code of ['WRITE', 'FSYNC', 'DIR_FSYNC', 'TRUNCATE', 'SHMSIZE'])
    assert.is(damageOf(`SQLITE_IOERR_${code}`), 'unwritten', code);
  assert.is(damageOf('SQLITE_IOERR_READ'), 'passing');
  assert.is(damageOf('SQLITE_CORRUPT'), 'lasting');
  assert.is(damageOf('SQLITE_FULL'), undefined);
});

test('a damaged database is a problem with a way out', () => {
  const path = join(temporaryFolder(), 'pushctl.db');
  const db = openDatabase(path);
  migrate(db);
  const bytes = db.serialize();
  db.close();
  bytes.fill(0xff, 100, 4096);
  writeFileSync(path, bytes);
  assert.throws(() => openDatabase(path), /is damaged .*restore a backup/);
});

test('a database that another connection holds is a problem that says so', () => {
  const path = join(temporaryFolder(), 'pushctl.db');
  const holder = openDatabase(path);
  holder.pragma('locking_mode = EXCLUSIVE');
  holder.exec('CREATE TABLE some (id INTEGER)');
  assert.throws(() => openDatabase(path), /is locked by another program/);
  holder.close();
});

test('A parameter that is missing is an error, and one that is undefined is NULL', async () => {
  const { db } = await temporaryStore();
  const same = sqlOver(db).value<Readonly<Record<string, unknown>>, unknown>('SELECT :wanted');
  assert.is(same({ wanted: 7, other: 8 }), 7);
  assert.is(same({ wanted: undefined }), null);
  assert.throws(() => same({ wnated: 7 }), /no value for :wanted/);
});

test('that the database can be written is proved by a write', async () => {
  const { db, calls } = await temporaryStore();
  const before = commitsInWal(`${db.name}-wal`);
  await calls.proveWritable({});
  assert.is(commitsInWal(`${db.name}-wal`), before + 1);
  assert.is((await calls.ping({})).schema, schemaVersion(db));
});

test.run();
