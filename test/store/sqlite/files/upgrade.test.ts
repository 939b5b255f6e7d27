import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { prepareFolder } from '../../../../src/store/data-folder.ts';
import { sqlFile } from '../../../../src/store/schema/files.ts';
import { openDatabase, openReadOnly } from '../../../../src/store/sqlite/database.ts';
import { ownStore } from '../../../../src/store/sqlite/engine.ts';
import { planUpgrade, upgrade } from '../../../../src/store/sqlite/files/upgrade.ts';
import { readMigrations, schemaVersion } from '../../../../src/store/sqlite/migrations.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { someSettings } from '../../../support/store.ts';

const known = readMigrations();
const next = { version: known.length + 1, ...sqlFile('next.sql', 'CREATE TABLE later (id INTEGER) STRICT') };

/** A data folder as the last version left it, with one workspace. */
async function aFolder() {
  const folder = prepareFolder(temporaryFolder());
  await ownStore({ dataDir: folder.path, settings: someSettings() }).close();
  const db = openDatabase(folder.database);
  db.exec("INSERT INTO workspace (slug, name, created_at) VALUES ('acme', 'Acme', 0)");
  return { folder, db };
}

test('before the schema changes, the database is kept under the name of the one it has', async () => {
  const { folder, db } = await aFolder();
  const upgraded = upgrade(db, folder, [...known, next]);
  const backup = join(folder.path, `pushctl.db.schema-${known.length}`);
  assert.equal(upgraded, { from: known.length, to: next.version, backup });
  assert.is(statSync(backup).mode & 0o777, 0o600);
  const kept = openReadOnly(backup);
  assert.is(schemaVersion(kept), known.length);
  assert.equal(kept.prepare('SELECT slug FROM workspace').pluck().all(), ['acme']);
  kept.close();
  db.close();
});

test('an operator who went back and upgrades again keeps the copy of the first time as well', async () => {
  const { folder, db } = await aFolder();
  const first = `${folder.database}.schema-${known.length}`;
  writeFileSync(first, 'the first');
  writeFileSync(`${first}.2`, 'the second');
  assert.is(planUpgrade(folder.path, [...known, next]).backup, `${first}.3`);
  assert.is(upgrade(db, folder, [...known, next])?.backup, `${first}.3`);
  assert.equal([readFileSync(first, 'utf8'), readFileSync(`${first}.2`, 'utf8')], ['the first', 'the second']);
  db.close();
});

test('a new database, and one that is up to date, need no copy', async () => {
  const { folder, db } = await aFolder();
  assert.is(upgrade(db, folder), null);
  db.close();
  assert.not(readdirSync(folder.path).some((name) => name.includes('schema')));
});

test('if no copy can be kept, the schema stays as it is', async () => {
  const { folder, db } = await aFolder();
  const full = { ...folder, claim: () => db.exec('no such statement') };
  assert.throws(() => upgrade(db, full, [...known, next]), 'was not upgraded, because it could not be copied');
  assert.is(schemaVersion(db), known.length);
  db.close();
});

test('an upgrade is planned beforehand without changing anything', async () => {
  const { folder, db } = await aFolder();
  const plan = planUpgrade(folder.path, [...known, next]);
  const backup = join(folder.path, `pushctl.db.schema-${known.length}`);
  assert.equal(plan.migrations, ['next.sql']);
  assert.equal([plan.schema, plan.target, plan.backup], [known.length, next.version, backup]);
  assert.is(schemaVersion(db), known.length);
  assert.equal(planUpgrade(folder.path).migrations, []);
  db.close();
});

test.run();
