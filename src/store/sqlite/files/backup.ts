import { accessSync, closeSync, constants, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { actAsOwnerOf } from '../../../files/act-as-owner.ts';
import { putInPlace, syncToDisk } from '../../../files/write.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import { databasePath } from '../../data-folder.ts';
import { findDamage, NoDatabase, noDatabase, openReadOnly, workAsOwnerOf } from '../database.ts';
import { openingProblem } from '../errors.ts';
import { foreignObjects, pendingMigrations, readMigrations, schemaVersion } from '../migrations.ts';
import type { Db } from '../transaction.ts';
import { backupsIn, unfinishedName } from './backup-names.ts';
import { removeDatabase, requireRoom } from './database-files.ts';

/** A database that cannot be backed up. `damage`: the first found. */
export class DamagedDatabase extends OperatorProblem {
  constructor(damage: string) {
    super(`the database is damaged, so no backup of it was kept (${damage}).`, 1, {
      advice: 'See "The database is damaged" in operations.md.',
    });
  }
}

interface BackupOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Allows a database without workspaces. */
  readonly allowEmpty?: boolean;
  /** Called periodically, in pages. */
  readonly onProgress?: (copied: number, total: number) => void;
}
export interface Backup extends Contents {
  readonly file: string;
  readonly bytes: number;
}

/** 2 MiB, synced at once: a large sync at the end would delay every commit. */
const PAGES_A_STEP = 512;

/**
 * Writes the database as it is now to a new file (mode 0600), also while a server runs. Checks every page, and opens
 * and counts the file like a restore, before it gets its name. Otherwise throws an `OperatorProblem`, and leaves no
 * file.
 *
 * Reads in one read transaction: that is one moment, and no write waits for it. Root writes as the owner of the target
 * folder. The server's only cost is that its write-ahead log is not reset until the backup is done.
 */
export async function backUp({ dataDir, file, allowEmpty = false, onProgress }: BackupOptions): Promise<Backup> {
  const target = resolve(file);
  const unfinished = unfinishedName(target, process.pid);
  const db = openReadOnly(databasePath(dataDir));
  using _ = actAsOwnerOf(target);
  try {
    if (pendingMigrations(db).length > 0 && schemaVersion(db) === 0)
      throw new OperatorProblem('the database is empty.');
    if (!allowEmpty) requireWorkspace(db);
    create(unfinished);
    // Precedes the check of the name, which another server may have used in this second.
    refuseAnothers(db, target);
    if (existsSync(target)) throw new OperatorProblem(`${target} exists already.`, 1, { advice: 'Name a new file.' });
    requireRoom(bytesOf(db), target);
    await copy(db, unfinished, onProgress);
    const bytes = verify(unfinished, db);
    const contents = contentsOf(unfinished);
    putInPlace(unfinished, target);
    return { file: target, bytes, ...contents };
  } catch (error) {
    throw openingProblem(target, error);
  } finally {
    db.close();
    removeDatabase(unfinished);
  }
}

/** A mistaken backup of an empty database would be noticed too late. */
function requireWorkspace(db: Db): void {
  const isEmpty = db.prepare('SELECT NOT EXISTS (SELECT 1 FROM workspace)').pluck().get() === 1;
  if (isEmpty) {
    throw new NoDatabase(
      `${db.name} has no workspaces, so there is nothing to back up. To write a backup anyway, pass --allow-empty.`,
    );
  }
}

/**
 * Rejects a folder of another database's backups: the newest counts for all, the oldest are removed. A common workspace
 * means the same database.
 */
function refuseAnothers(db: Db, target: string): void {
  const isNamedByTime = backupsIn([basename(target)], Date.now()).length > 0;
  const [newest] = isNamedByTime ? backupsIn(readdirSync(dirname(target)), Date.now()) : [];
  if (newest === undefined) return;
  const file = join(dirname(target), newest.name);
  const theirs = workspacesIn(file);
  if (theirs.length === 0 || workspacesOf(db).some((workspace) => theirs.includes(workspace))) return;
  throw new OperatorProblem(
    `${file} is a backup of another database, which shares no workspace with this database.`,
    1,
    {
      advice: 'Give each server its own folder. If this database replaced the other, move those backups away.',
    },
  );
}

/** Returns a backup's workspaces; none if damaged. Throws if another user's file is unreadable. */
function workspacesIn(file: string): readonly string[] {
  accessSync(file, constants.R_OK);
  try {
    using db = openReadOnly(file);
    return workspacesOf(db);
  } catch {
    return [];
  }
}

/** Ids and creation times, which no two databases share. */
function workspacesOf(db: Db): readonly string[] {
  return db.prepare<[], string>(`SELECT id || ' ' || created_at FROM workspace`).pluck().all();
}

/** Including its log. */
function bytesOf(db: Db): number {
  const [pages, size] = ['page_count', 'page_size'].map((name) => Number(db.pragma(name, { simple: true })));
  return Number(pages) * Number(size);
}

/** SQLite would take the mode from the umask. */
function create(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    throw new OperatorProblem(`${file} cannot be written: ${(error as Error).message}.`);
  }
}

async function copy(db: Db, file: string, onProgress: BackupOptions['onProgress']): Promise<void> {
  db.exec('BEGIN');
  // The first read sets the transaction's moment.
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  await copyPages(db, file, onProgress);
  db.exec('COMMIT');
}

/** Copies a few pages at a time, including what this connection writes in between. */
export async function copyPages(db: Db, file: string, onProgress?: BackupOptions['onProgress']): Promise<void> {
  await db.backup(file, {
    progress: ({ totalPages, remainingPages }) => {
      syncToDisk(file);
      onProgress?.(totalPages - remainingPages, totalPages);
      return PAGES_A_STEP;
    },
  });
}

/** Turns the backup into one file without a log, checks all pages, returns the size. */
function verify(file: string, from: Db): number {
  const db = new Database(file);
  try {
    db.pragma('journal_mode = DELETE');
    const [damage] = findDamage(db);
    if (damage !== undefined) {
      const [before] = findDamage(from, 'quick_check');
      if (before !== undefined) throw new DamagedDatabase(before);
      throw new OperatorProblem(`the copy is damaged, so it was not kept (${damage}).`, 1, {
        advice: 'Check the disk, and try again.',
      });
    }
    return statSync(file).size;
  } finally {
    db.close();
  }
}

const STREAMED = 'pushctl.db.streamed-';
const LEFT_BEHIND = /^pushctl\.db\.streamed-(\d+)(\.\d+\.part)?$/;

/** `fd`: reads the nameless backup, which is gone once closed. */
interface StreamedBackup {
  readonly fd: number;
  readonly backup: Backup;
}

/**
 * A backup to be passed on, unreadable until fully checked. The data folder has room for it, and is private. Throws as
 * `backUp` does.
 */
export async function openBackup(options: Omit<BackupOptions, 'file'>): Promise<StreamedBackup> {
  const { dataDir } = options;
  const file = join(dataDir, `${STREAMED}${process.pid}`);
  removeLeftBehind(dataDir);
  const backup = await backUp({ ...options, file });
  using _ = workAsOwnerOf(file);
  const fd = openSync(file, 'r');
  rmSync(file);
  return { fd, backup };
}

/** Removes killed processes' files. */
function removeLeftBehind(dataDir: string): void {
  using _ = workAsOwnerOf(join(dataDir, STREAMED));
  for (const name of namesIn(dataDir)) {
    const [, pid] = LEFT_BEHIND.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeDatabase(join(dataDir, name));
  }
}

function namesIn(dataDir: string): readonly string[] {
  try {
    return readdirSync(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw noDatabase(databasePath(dataDir));
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export interface Contents {
  readonly schema: number;
  readonly workspaces: number;
  readonly devices: number;
  readonly events: number;
}

/** Opens a file as this version would, unchanged, and counts its contents. Throws `OperatorProblem` if unusable. */
export function contentsOf(file: string): Contents {
  using db = openReadOnly(file);
  pendingMigrations(db);
  // A newer program made it, but this version may use it.
  const isNewer = schemaVersion(db) > readMigrations().length;
  const [foreign] = isNewer ? [] : foreignObjects(db);
  if (foreign !== undefined) throw new OperatorProblem(`the schema of ${file} is not that of pushctl (${foreign}).`);
  const rowsOf = (table: string) => Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  return {
    schema: schemaVersion(db),
    workspaces: rowsOf('workspace'),
    devices: rowsOf('device'),
    events: rowsOf('event'),
  };
}
