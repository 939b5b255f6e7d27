import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { migrationsIn } from '../../../src/store/migration-files.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import {
  type Migration,
  migrate,
  pendingMigrations,
  readMigrations,
  schemaVersion,
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

function next(sql: string): readonly Migration[] {
  const known = readMigrations();
  return [...known, { version: known.length + 1, file: 'next.sql', sql }];
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

test('devices keep their ids, routes and subscriptions when their table is rebuilt', () => {
  const db = emptyDatabase();
  migrate(db, readMigrations().slice(0, 18));
  db.exec(`
    INSERT INTO workspace (slug, name, created_at) VALUES ('acme', 'Acme', 0);
    INSERT INTO channel (workspace_id, slug, name, created_at) VALUES (1, 'builds', 'Builds', 0);
    INSERT INTO user (email, name, created_at) VALUES ('ada@example.com', 'Ada', 0);
    INSERT INTO device (id, public_id, user_id, platform, environment, token, name, registered_at) VALUES
      (3, 'dev_3', 1, 'ios', 'production', 'ab', 'iPhone', 5), (4, 'dev_4', 1, 'ios', 'sandbox', 'cd', 'iPhone', 6),
      (7, 'dev_7', 1, 'android', NULL, 'ef', 'Pixel', 7), (9, 'dev_9', 1, 'android', NULL, 'gone', 'Pixel', 8);
    DELETE FROM device WHERE id = 9;
    INSERT INTO subscription (channel_id, device_id, route, active) VALUES (1, 4, 'apns_sandbox', 1);
  `);
  migrate(db);
  const rows = db
    .prepare('SELECT id, route, environment, token_kind, token, keys, registered_at FROM device ORDER BY id')
    .raw();
  assert.equal(rows.all(), [
    [3, 'apns_production', 'production', 'token', 'ab', null, 5],
    [4, 'apns_sandbox', 'sandbox', 'token', 'cd', null, 6],
    [7, 'fcm', null, 'token', 'ef', null, 7],
  ]);
  const insert = 'INSERT INTO device (public_id, user_id, platform, route, token, name, registered_at)';
  db.exec(`${insert} VALUES ('dev_10', 1, 'ios', 'apns_production', 'gh', 'iPhone', 9)`);
  assert.is(db.prepare('SELECT max(id) FROM device').pluck().get(), 10, 'no id is given away twice');
  db.exec('DELETE FROM device WHERE id = 4');
  assert.is(db.prepare('SELECT count(*) FROM subscription').pluck().get(), 0, 'they go with their device');
});

test('who is a member when read marks come has read all that was posted before', () => {
  const db = emptyDatabase();
  migrate(db, readMigrations().slice(0, 21));
  db.exec(`
    INSERT INTO workspace (slug, name, created_at) VALUES ('acme', 'Acme', 0);
    INSERT INTO person (email, name, created_at) VALUES ('ada@example.com', 'Ada', 0);
    INSERT INTO member (workspace_id, user_id, role, created_at) VALUES (1, 1, 'owner', 0);
    INSERT INTO event (id, uuid, workspace_id, title, level, urgency, had_links, targeted, received_at, expires_at)
      VALUES (7, zeroblob(16), 1, 'Done', 'info', 'standard', 0, 0, 0, 0);
  `);
  migrate(db);
  assert.equal(db.prepare('SELECT read_up_to FROM member').pluck().all(), [7]);
});

test('what a member had read when marks of single events come stays read, and no more is', () => {
  const db = emptyDatabase();
  migrate(db, readMigrations().slice(0, 29));
  db.exec(`
    INSERT INTO workspace (slug, name, created_at) VALUES ('acme', 'Acme', 0);
    INSERT INTO person (email, name, created_at) VALUES ('ada@example.com', 'Ada', 0), ('bob@example.com', 'Bob', 0);
    INSERT INTO member (workspace_id, user_id, role, created_at, read_up_to) VALUES (1, 1, 'owner', 0, 5), (1, 2, 'member', 0, 0);
  `);
  migrate(db);
  assert.equal(db.prepare('SELECT read_up_to FROM member ORDER BY user_id').pluck().all(), [5, 0]);
  for (const marks of ['read_mark', 'read_apart'])
    assert.is(db.prepare(`SELECT count(*) FROM ${marks}`).pluck().get(), 0);
});

test('what is older than vouchers is vouched for the workspaces and roles that its person has then, and no others', () => {
  const db = emptyDatabase();
  migrate(db, readMigrations().slice(0, 25));
  db.exec(`
    INSERT INTO workspace (slug, name, created_at) VALUES ('acme', 'Acme', 0), ('blue', 'Blue', 0), ('coal', 'Coal', 0);
    INSERT INTO person (email, name, password, created_at) VALUES
      ('ada@example.com', 'Ada', 'a hash', 0), ('bob@example.com', 'Bob', NULL, 0);
    INSERT INTO member (workspace_id, user_id, role, created_at, read_up_to) VALUES
      (1, 1, 'owner', 0, 0), (2, 1, 'member', 0, 0), (1, 2, 'admin', 0, 0);
    INSERT INTO session (token_hash, user_id, created_at, last_seen_at, expires_at) VALUES
      (zeroblob(32), 1, 0, 0, 1), (randomblob(32), 2, 0, 0, 1);
    INSERT INTO pairing_code (user_id, code_hash, expires_at) VALUES (2, zeroblob(32), 1);
  `);
  migrate(db);
  db.exec(`INSERT INTO member (workspace_id, user_id, role, created_at, read_up_to) VALUES (3, 1, 'admin', 0, 0)`);
  const vouchers = db.prepare(`
    SELECT user_id, session IS NOT NULL, password_of, workspace_id, role, vouched_by FROM voucher
    ORDER BY user_id, password_of, workspace_id
  `);
  assert.equal(vouchers.raw().all(), [
    [1, 1, null, 1, 'owner', null],
    [1, 1, null, 2, 'member', null],
    [1, 0, 1, 1, 'owner', null],
    [1, 0, 1, 2, 'member', null],
    [2, 1, null, 1, 'admin', null],
  ]);
  assert.is(db.prepare('SELECT count(*) FROM pairing_code').pluck().get(), 0);
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

test('a schema of a newer pushctl is refused with both versions and the way out', () => {
  const db = emptyDatabase();
  migrate(db, next('CREATE TABLE later (id INTEGER) STRICT'));
  const known = readMigrations().length;
  const { message } = problemOf(() => migrate(db));
  assert.match(message, `has schema ${known + 1}`);
  assert.match(message, `knows schemas up to ${known}`);
  assert.match(message, 'Install the newer pushctl again');
});

test('a database of another program is refused and left alone', () => {
  const db = emptyDatabase();
  db.exec('CREATE TABLE theirs (id INTEGER)');
  assert.match(problemOf(() => migrate(db)).message, 'another program');
  assert.is((schemaOf(db) as unknown[]).length, 1);
});

test('a gap in the numbers of the migrations is a mistake', () => {
  const folder = join(temporaryFolder(), 'migrations');
  mkdirSync(folder);
  writeFileSync(join(folder, '0001_first.sql'), '');
  writeFileSync(join(folder, '0003_third.sql'), '');
  assert.throws(() => migrationsIn(folder), '0003_third.sql is not migration 2');
});

test.run();
