import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../src/process/package.ts';
import { type EngineName, oldestAfter, readMigrationsIn, sqlFile } from '../../../src/store/schema/files.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import {
  type Migration,
  migrate,
  pendingMigrations,
  readMigrations,
  schemaVersion,
  schemaOf as storedSchema,
} from '../../../src/store/sqlite/migrations.ts';
import type { Db } from '../../../src/store/sqlite/transaction.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { problemOf } from '../../support/problem.ts';

function emptyDatabase(): Db {
  return openDatabase(join(temporaryFolder(), 'pushctl.db'));
}

function schemaOf(db: Db): unknown {
  return db
    .prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
    .all();
}

function next(sql: string, file = 'next.sql'): readonly Migration[] {
  const known = readMigrations();
  return [...known, { version: known.length + 1, ...sqlFile(file, sql) }];
}

test('a new database gets every migration, and a second time none', () => {
  const db = emptyDatabase();
  migrate(db);
  assert.is(schemaVersion(db), readMigrations().length);
  assert.equal(pendingMigrations(db), []);
  migrate(db);
});

test('a fresh database equals one that was upgraded a step at a time', () => {
  const migrations = next(
    'CREATE TABLE later (id INTEGER PRIMARY KEY, workspace_id INTEGER REFERENCES workspace (id)) STRICT',
  );
  const upgraded = emptyDatabase();
  for (const { version } of migrations) migrate(upgraded, migrations.slice(0, version));
  const fresh = emptyDatabase();
  migrate(fresh, migrations);
  assert.equal(schemaOf(upgraded), schemaOf(fresh));
  assert.is(schemaVersion(upgraded), migrations.length);
});

test('a migration that fails half-way leaves the database as it was', () => {
  const db = emptyDatabase();
  migrate(db);
  const before = schemaOf(db);
  const { message } = problemOf(() =>
    migrate(db, next('CREATE TABLE half (id INTEGER) STRICT; CREATE TABLE plan (id INTEGER)')),
  );
  assert.match(message, /schema \d+ \(next\.sql\): table plan already exists/);
  assert.equal(schemaOf(db), before);
  assert.is(schemaVersion(db), readMigrations().length);
  assert.is(db.pragma('foreign_keys', { simple: true }), 1);
});

test('a migration that loses what others refer to is undone', () => {
  const db = emptyDatabase();
  migrate(db);
  db.exec("INSERT INTO workspace (slug, name, created_at) VALUES ('acme', 'Acme', 0)");
  const { message } = problemOf(() => migrate(db, next('DELETE FROM plan')));
  assert.match(message, /1 rows lost what they refer to, the first in workspace/);
  assert.is(db.prepare('SELECT count(*) FROM plan').pluck().get(), 1);
});

test('a newer schema is used if it allows older programs; else it is rejected with both versions and what to do', () => {
  const db = emptyDatabase();
  migrate(db, next('CREATE TABLE later (id INTEGER) STRICT'));
  const known = readMigrations().length;
  assert.equal(pendingMigrations(db), []);
  db.exec(`UPDATE pushctl_schema SET oldest = ${known + 1}`);
  const { message } = problemOf(() => migrate(db));
  assert.match(message, `has schema ${known + 1} of a newer pushctl and needs at least schema ${known + 1}`);
  assert.match(message, `knows schemas up to ${known}`);
  assert.match(message, 'Install the newer pushctl again');
});

test('only a breaking migration raises the oldest schema that a program must know', () => {
  const db = emptyDatabase();
  const known = readMigrations().length;
  const added = next('CREATE TABLE later (id INTEGER) STRICT');
  migrate(db, added);
  assert.is(storedSchema(db).oldest, 1);
  const version = added.length + 1;
  migrate(db, [...added, { version, ...sqlFile(`000${version}_drop.breaking.sql`, 'DROP TABLE later') }]);
  assert.is(storedSchema(db).oldest, version);
  const { message } = problemOf(() => migrate(db));
  assert.match(message, `needs at least schema ${version}. This version knows schemas up to ${known}`);
});

test('a database whose upgrade to a newer schema is under way is rejected, and the message says so', () => {
  const db = emptyDatabase();
  migrate(db);
  db.exec('UPDATE pushctl_schema SET oldest = version + 1');
  assert.match(problemOf(() => migrate(db)).message, /is being upgraded to schema \d+ by a newer pushctl/);
});

test('a database that another baseline made is rejected and left alone, and the way out is `pushctl move`', () => {
  const [baseline] = readMigrations() as [Migration];
  const other = emptyDatabase();
  migrate(other, [{ version: 1, ...sqlFile('baseline', baseline.sql.replace('last_output ', 'output ')) }]);
  const withoutDigest = emptyDatabase();
  withoutDigest.exec('PRAGMA application_id = 0x70757368; CREATE TABLE workspace (id INTEGER)');
  for (const db of [other, withoutDigest]) {
    const before = schemaOf(db);
    assert.match(problemOf(() => migrate(db)).message, /different build of pushctl.*pushctl move.*start over/);
    assert.equal(schemaOf(db), before);
  }
});

test('comments and blanks of the baseline are no other schema', () => {
  const [baseline] = readMigrations() as [Migration];
  const db = emptyDatabase();
  migrate(db, [{ version: 1, ...sqlFile('baseline', `-- Another comment.\n\n  ${baseline.sql}`) }]);
  assert.equal(pendingMigrations(db), []);
});

test('a database of another program is refused and left alone', () => {
  const db = emptyDatabase();
  db.exec('CREATE TABLE theirs (id INTEGER)');
  assert.match(problemOf(() => migrate(db)).message, 'another program');
  assert.is((schemaOf(db) as unknown[]).length, 1);
});

test('a file is for both engines or for one, and each engine reads it in its own words', () => {
  const folder = schemaFolder({
    '0002_both.sql':
      'CREATE TABLE both (id {identity}, at {integer}, mark {bytes}, name {text} PRIMARY KEY) {strict keyed};',
    '0003_own.breaking.postgres.sql': 'ALTER TABLE both SET (fillfactor = 50);',
    '0003_own.breaking.sqlite.sql': 'PRAGMA user_version = 3;',
  });
  const textsOf = (engine: EngineName) => readMigrationsIn(folder, engine).map(({ version, sql }) => [version, sql]);
  assert.equal(textsOf('sqlite').slice(1), [
    [
      2,
      'CREATE TABLE both (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER, mark BLOB, name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;',
    ],
    [3, 'PRAGMA user_version = 3;'],
  ]);
  assert.equal(textsOf('postgres').slice(1), [
    [
      2,
      'CREATE TABLE both (id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, at BIGINT, mark BYTEA, name TEXT COLLATE "C" PRIMARY KEY) ;',
    ],
    [3, 'ALTER TABLE both SET (fillfactor = 50);'],
  ]);
  assert.not.match(readMigrationsIn(folder, 'sqlite')[0]?.sql ?? '', /\{[a-z]/);
  for (const engine of ['sqlite', 'postgres'] as const) assert.is(oldestAfter(readMigrationsIn(folder, engine)), 3);
});

test('a gap in the numbers of the migrations, an unknown word, and one that breaks on one engine are mistakes', () => {
  assert.throws(
    () => readMigrationsIn(schemaFolder({ '0003_third.sql': '' }), 'sqlite'),
    '0003_third.sql is not migration 2',
  );
  assert.throws(
    () => readMigrationsIn(schemaFolder({ '0002_next.sql': 'CREATE TABLE a (b {number})' }), 'postgres'),
    '{number} means nothing',
  );
  const halfBreaking = { '0002_next.breaking.sqlite.sql': '', '0002_next.postgres.sql': '' };
  for (const engine of ['sqlite', 'postgres'] as const)
    assert.throws(() => readMigrationsIn(schemaFolder(halfBreaking), engine), '0002 has two names');
});

/** A copy of the baseline, with more files. */
function schemaFolder(more: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  cpSync(packagePath('src', 'store', 'schema'), folder, { recursive: true });
  for (const [file, sql] of Object.entries(more)) writeFileSync(join(folder, file), sql);
  return folder;
}

test.run();
