import Database from 'better-sqlite3';
import { packagePath } from '../../package.ts';
import { OperatorProblem } from '../../problem.ts';
import { type Migration, migrationsIn } from '../migration-files.ts';
import type { Db } from './transaction.ts';

/** Read when the program starts: later it may act as the owner of a data folder, who perhaps may not read them. */
const MIGRATIONS = migrationsIn(packagePath('src', 'store', 'sqlite', 'migrations'));

/** "push", set by the first migration: whose file a database is. */
export const APPLICATION_ID = 0x70757368;

export type { Migration } from '../migration-files.ts';

/** Brings the schema up to date, one transaction a migration: one that fails leaves the database as it was before. */
export function migrate(db: Db, migrations: readonly Migration[] = readMigrations()): void {
  const pending = pendingMigrations(db, migrations);
  if (pending.length === 0) return;
  // A migration may rebuild a table that others refer to, so the references are checked once at its end.
  db.pragma('foreign_keys = OFF');
  try {
    for (const migration of pending) apply(db, migration);
  } finally {
    db.pragma('foreign_keys = ON');
  }
}

/** What `migrate` would apply. Throws an `OperatorProblem` for a database that this version cannot serve. */
export function pendingMigrations(db: Db, migrations: readonly Migration[] = readMigrations()): readonly Migration[] {
  const version = schemaVersion(db);
  if (version > migrations.length) {
    throw new OperatorProblem(
      `${db.name} has schema ${version}, made by a newer pushctl; this one knows schemas up to ${migrations.length}.`,
      1,
      { advice: 'Install the newer pushctl again, or restore a backup made before the upgrade.' },
    );
  }
  if (version === 0 ? !isEmpty(db) : db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw foreignDatabase(db.name);
  }
  return migrations.slice(version);
}

/** Names of tables, indexes, triggers and views that a database of this schema has not, lacks, or has otherwise. */
export function foreignObjects(db: Db, migrations: readonly Migration[] = readMigrations()): readonly string[] {
  const pure = new Database(':memory:');
  try {
    for (const migration of migrations.slice(0, schemaVersion(db))) apply(pure, migration);
    const [ours, theirs] = [objectsOf(pure), objectsOf(db)];
    const names = new Set([...ours.keys(), ...theirs.keys()]);
    return [...names].filter((name) => ours.get(name) !== theirs.get(name));
  } finally {
    pure.close();
  }
}

/** Without what `ANALYZE` keeps, which no query obeys, and the tables that Litestream makes for itself. */
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

/** The version of the schema that a database has; 0: none yet. */
export function schemaVersion(db: Db): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/** All that this version knows, in their order. */
export function readMigrations(): readonly Migration[] {
  return MIGRATIONS;
}

function apply(db: Db, { version, file, sql }: Migration): void {
  const run = db.transaction(() => {
    db.exec(sql);
    const broken = db.pragma('foreign_key_check') as readonly { readonly table: string }[];
    if (broken[0]) throw new Error(`${broken.length} rows lost what they refer to, the first in ${broken[0].table}`);
    db.pragma(`user_version = ${version}`);
  });
  try {
    run.immediate();
  } catch (error) {
    throw new OperatorProblem(
      `${db.name} could not be brought to schema ${version} (${file}): ${(error as Error).message}.`,
      1,
      {
        advice: `It is unchanged since schema ${version - 1}; go on with the previous pushctl, or mend the cause and start again.`,
      },
    );
  }
}
