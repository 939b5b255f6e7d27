import Database from 'better-sqlite3';
import { packagePath } from '../../process/package.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { type Migration, oldestAfter, readMigrationsIn } from '../schema/files.ts';
import {
  baselineOf,
  NO_SCHEMA,
  refuseSchema,
  SCHEMA,
  type SchemaVersion,
  UNKNOWN_BASELINE,
} from '../schema/version.ts';
import type { Db } from './transaction.ts';

/** Read at start: later the process may act as a data folder's owner, without access. */
const MIGRATIONS = readMigrationsIn(packagePath('src', 'store', 'schema'), 'sqlite');

/** "push", set by the baseline: our file. */
export const APPLICATION_ID = 0x70757368;

export type { Migration } from '../schema/files.ts';

/** Upgrades the schema, one transaction per migration: a failing one leaves the database unchanged. */
export function migrate(db: Db, migrations: readonly Migration[] = readMigrations()): void {
  const pending = pendingMigrations(db, migrations);
  if (pending.length === 0) return;
  // A migration may rebuild referenced tables, so references are checked once at its end.
  db.pragma('foreign_keys = OFF');
  try {
    for (const migration of pending) apply(db, migration, migrations);
  } finally {
    db.pragma('foreign_keys = ON');
  }
}

/** Returns what `migrate` would apply. Throws `OperatorProblem` for unusable databases. */
export function pendingMigrations(db: Db, migrations: readonly Migration[] = readMigrations()): readonly Migration[] {
  const found = schemaOf(db);
  if (found.version === 0 ? !isEmpty(db) : !isOurs(db)) throw foreignDatabase(db.name);
  refuseSchema(found, migrations, db.name);
  return migrations.slice(found.version);
}

/** Names of missing, foreign or different tables, indexes, triggers and views. */
export function foreignObjects(db: Db, migrations: readonly Migration[] = readMigrations()): readonly string[] {
  const pure = new Database(':memory:');
  try {
    for (const migration of migrations.slice(0, schemaVersion(db))) apply(pure, migration, migrations);
    const [ours, theirs] = [objectsOf(pure), objectsOf(db)];
    const names = new Set([...ours.keys(), ...theirs.keys()]);
    return [...names].filter((name) => ours.get(name) !== theirs.get(name));
  } finally {
    pure.close();
  }
}

/** Excludes the results of `ANALYZE`, which no query obeys, and Litestream's tables. */
function objectsOf(db: Db): ReadonlyMap<string, string | null> {
  const rows = db.prepare<[], { name: string; text: string | null }>(`
    SELECT type || ' ' || name AS name, tbl_name || ': ' || sql AS text FROM sqlite_schema
    WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4', '_litestream_lock', '_litestream_seq'))`);
  return new Map(rows.all().map(({ name, text }) => [name, text]));
}

export function foreignDatabase(path: string): OperatorProblem {
  return new OperatorProblem(`${path} is a database of another program.`, 1, { advice: 'Choose another data_dir.' });
}

function isEmpty(db: Db): boolean {
  return db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
}

function isOurs(db: Db): boolean {
  return db.pragma('application_id', { simple: true }) === APPLICATION_ID;
}

/** Returns version 0 for empty and foreign databases. */
export function schemaOf(db: Db): SchemaVersion {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'pushctl_schema'").get();
  if (table !== undefined) return db.prepare<[], SchemaVersion>(SCHEMA).get() ?? NO_SCHEMA;
  return isOurs(db) && !isEmpty(db) ? UNKNOWN_BASELINE : NO_SCHEMA;
}

export function schemaVersion(db: Db): number {
  return schemaOf(db).version;
}

/** All known here, in order. */
export function readMigrations(): readonly Migration[] {
  return MIGRATIONS;
}

function apply(db: Db, { version, file, sql }: Migration, migrations: readonly Migration[]): void {
  const oldest = oldestAfter(migrations.slice(0, version));
  const run = db.transaction(() => {
    db.exec(sql);
    const broken = db.pragma('foreign_key_check') as readonly { readonly table: string }[];
    if (broken[0]) throw new Error(`${broken.length} rows lost what they refer to, the first in ${broken[0].table}`);
    const digest = baselineOf(migrations);
    db.prepare('UPDATE pushctl_schema SET version = ?, oldest = ?, digest = ?').run(version, oldest, digest);
  });
  try {
    run.immediate();
  } catch (error) {
    throw new OperatorProblem(
      `${db.name} could not be upgraded to schema ${version} (${file}): ${(error as Error).message}.`,
      1,
      {
        advice: `It still has schema ${version - 1}. Use the previous pushctl, or fix the cause and start again.`,
      },
    );
  }
}
