import { statSync } from 'node:fs';
import { putInPlace } from '../../../files/write.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import { type DataFolder, databasePath } from '../../data-folder.ts';
import { isBreaking } from '../../schema/files.ts';
import { openReadOnly } from '../database.ts';
import { openingProblem } from '../errors.ts';
import { type Migration, migrate, pendingMigrations, readMigrations, schemaOf, schemaVersion } from '../migrations.ts';
import type { Db } from '../transaction.ts';
import { freeName, removeDatabase } from './database-files.ts';

export interface Upgrade {
  readonly from: number;
  readonly to: number;
  readonly backup: string;
}

export interface UpgradePlan {
  readonly schema: number;
  /** The oldest version programs must know. */
  readonly oldest: number;
  readonly target: number;
  /** Programs that do not know `target` cannot use it. */
  readonly breaks: boolean;
  /** The files to apply, in order. */
  readonly migrations: readonly string[];
  /** The copy's path; null: nothing would be done. */
  readonly backup: string | null;
  readonly bytes: number;
}

/**
 * Upgrades the schema. A non-empty database is copied first, and kept, named by its schema. Null: nothing to do or
 * keep.
 */
export function upgrade(db: Db, folder: DataFolder, migrations = readMigrations()): Upgrade | null {
  const from = schemaVersion(db);
  const pending = pendingMigrations(db, migrations);
  const backup = from > 0 && pending.length > 0 ? keepCopy(db, folder, from) : null;
  migrate(db, migrations);
  return backup === null ? null : { from, to: schemaVersion(db), backup };
}

/** Returns what `upgrade` would do. Only reads, even beside a server. */
export function planUpgrade(dataDir: string, migrations: readonly Migration[] = readMigrations()): UpgradePlan {
  const path = databasePath(dataDir);
  using db = openReadOnly(path);
  const { version: schema, oldest } = schemaOf(db);
  const pending = pendingMigrations(db, migrations);
  return {
    schema,
    oldest,
    target: Math.max(schema, migrations.length),
    breaks: schema > 0 && pending.some(isBreaking),
    migrations: pending.map(({ file }) => file),
    backup: schema > 0 && pending.length > 0 ? copyName(path, schema) : null,
    bytes: statSync(path).size,
  };
}

/** No other process has the database open: the copy may take time. */
function keepCopy(db: Db, folder: DataFolder, schema: number): string {
  const name = copyName(folder.database, schema);
  const unfinished = `${name}.part`;
  try {
    removeDatabase(unfinished);
    folder.claim(unfinished);
    db.prepare('VACUUM INTO ?').run(unfinished);
    putInPlace(unfinished, name);
    return name;
  } catch (error) {
    removeDatabase(unfinished);
    throw new OperatorProblem(
      `the database was not upgraded, because it could not be copied first. ${openingProblem(unfinished, error).message}`,
    );
  }
}

/** Returns a free name. After a downgrade, the first upgrade's copy exists, with all events until then. */
function copyName(database: string, schema: number): string {
  return freeName(`${database}.schema-${schema}`);
}
