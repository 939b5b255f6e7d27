import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import Database from 'better-sqlite3';
import { actAsOwnerOf } from '../../../files/act-as-owner.ts';
import { OperatorProblem } from '../../../problem.ts';
import { findDamage, NoDatabase, openReadOnly } from '../database.ts';
import { openingProblem } from '../errors.ts';
import { pendingMigrations, schemaVersion } from '../migrations.ts';
import type { Db } from '../transaction.ts';
import { putInPlace, removeDatabase, syncToDisk } from './database-files.ts';
import { databasePath } from './folder.ts';

/** No backup can be made of it. `damage`: the first that was found. */
export class DamagedDatabase extends OperatorProblem {
  constructor(damage: string) {
    super(`the database is damaged, so no backup of it was kept (${damage}).`, 1, {
      advice: 'See "The database is damaged" in operations.md.',
    });
  }
}

export interface BackupOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Also when the database has no workspace yet. */
  readonly allowEmpty?: boolean;
  /** Called now and then, in pages. */
  readonly onProgress?: (copied: number, total: number) => void;
}
export interface Backup {
  readonly file: string;
  readonly bytes: number;
  readonly schema: number;
  readonly events: number;
}

/** 2 MiB, synced at once: a large file synced at its end would make every commit of the server wait behind it. */
const PAGES_A_STEP = 512;

/**
 * Writes the database of a data folder, as it is at this moment, to a new file (mode 0600), also while a server runs.
 * Throws an `OperatorProblem` where that cannot be done; then there is no file.
 *
 * It reads beside the owner of the folder, in one read transaction: that is one moment, whatever is written meanwhile,
 * and no write waits for it. Root writes it as the owner of the folder that it goes into. All it costs the server is
 * that the write-ahead log is not reset until it is done.
 */
export async function backUp({ dataDir, file, allowEmpty = false, onProgress }: BackupOptions): Promise<Backup> {
  const target = resolve(file);
  if (existsSync(target)) throw new OperatorProblem(`${target} exists already.`, 1, { advice: 'Name a new file.' });
  const unfinished = `${target}.${process.pid}.part`;
  const db = openReadOnly(databasePath(dataDir));
  using _ = actAsOwnerOf(target);
  try {
    if (pendingMigrations(db).length > 0 && schemaVersion(db) === 0)
      throw new OperatorProblem('the database is empty.');
    if (!allowEmpty) requireWorkspace(db);
    create(unfinished);
    await copy(db, unfinished, onProgress);
    const backup = verify(unfinished, db);
    putInPlace(unfinished, target);
    return { file: target, ...backup };
  } catch (error) {
    throw openingProblem(target, error);
  } finally {
    db.close();
    removeDatabase(unfinished);
  }
}

/** A backup of an empty database, made by mistake, would be noticed only when it is needed. */
function requireWorkspace(db: Db): void {
  const isEmpty = db.prepare('SELECT NOT EXISTS (SELECT 1 FROM workspace)').pluck().get() === 1;
  if (isEmpty) {
    throw new NoDatabase(
      `there is no workspace in ${db.name}, so nothing worth a backup; --allow-empty makes one all the same.`,
    );
  }
}

/** Before SQLite does it, which would take the mode from the umask. */
function create(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    throw new OperatorProblem(`${file} cannot be made: ${(error as Error).message}.`);
  }
}

async function copy(db: Db, file: string, onProgress: BackupOptions['onProgress']): Promise<void> {
  db.exec('BEGIN');
  // The transaction's moment is that of its first read.
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  await copyPages(db, file, onProgress);
  db.exec('COMMIT');
}

/** A few at a time; what this connection writes in between is in the copy as well. */
export async function copyPages(db: Db, file: string, onProgress?: BackupOptions['onProgress']): Promise<void> {
  await db.backup(file, {
    progress: ({ totalPages, remainingPages }) => {
      syncToDisk(file);
      onProgress?.(totalPages - remainingPages, totalPages);
      return PAGES_A_STEP;
    },
  });
}

/** As one file without a log beside it, and every page of it looked at. */
function verify(file: string, from: Db): Omit<Backup, 'file'> {
  const db = new Database(file);
  try {
    db.pragma('journal_mode = DELETE');
    const [damage] = findDamage(db);
    if (damage !== undefined) {
      const [before] = findDamage(from, 'quick_check');
      if (before !== undefined) throw new DamagedDatabase(before);
      throw new OperatorProblem(`the copy is damaged, so it was not kept (${damage}).`, 1, {
        advice: 'Look at the disk, and try again.',
      });
    }
    const events = Number(db.prepare('SELECT count(*) FROM event').pluck().get());
    return { bytes: statSync(file).size, schema: schemaVersion(db), events };
  } finally {
    db.close();
  }
}
