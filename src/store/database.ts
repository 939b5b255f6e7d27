import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { OperatorProblem } from '../problem.ts';
import type { Db } from './handlers.ts';

/** The data folder has one owner, so only a foreign tool can hold the database; a wait would block the whole thread. */
const BUSY_TIMEOUT_MS = 250;
const WAL_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Opens (or creates) the database at `path`; `migrate` it before use. Throws an `OperatorProblem` where the file cannot
 * be opened, is damaged, or is not a database.
 */
export function openDatabase(path: string): Db {
  refuseOldNode();
  try {
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      return prepared(db);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw openingProblem(path, error);
  }
}

/**
 * Another look at the database at `path`, beside its owner's: it sees one moment and changes nothing. Throws an
 * `OperatorProblem` where there is none, or none that can be read.
 */
export function openReadOnly(path: string): Db {
  refuseOldNode();
  if (!existsSync(path)) throw new OperatorProblem(`there is no database ${path}.`);
  try {
    const db = new Database(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw openingProblem(path, error);
  }
}

/**
 * What is wrong with the file's contents: every page is looked at, by `integrity_check` every index entry as well. Empty:
 * nothing.
 */
export function findDamage(db: Db, check: 'integrity_check' | 'quick_check' = 'integrity_check'): readonly string[] {
  try {
    const lines = db.pragma(`${check}(10)`) as readonly Readonly<Record<string, string>>[];
    return lines.flatMap((line) => line[check] ?? []).filter((line) => line !== 'ok');
  } catch (error) {
    return [(error as Error).message];
  }
}

function prepared(db: Db): Db {
  // Holds only where the file is still empty. Pages that retention frees can be given back, a few at a time.
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  // An existing WAL database opens with NORMAL, which may lose the last commits when the power fails.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // Savepoints and sorts need no space on a disk that may be full.
  db.pragma('temp_store = MEMORY');
  db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  return db;
}

/** better-sqlite3 13 needs Node-API 10; on an older Node it does not throw, the process dies. */
export function refuseOldNode(): void {
  if (Number(process.versions.napi) >= 10) return;
  throw new OperatorProblem(`Node ${process.versions.node} is too old; pushctl needs Node 22.14 or newer.`);
}

/** Words for an error that says the disk, not the program, is at fault; undefined for every other error. */
export function unavailableReason(error: unknown): string | undefined {
  if (!(error instanceof Database.SqliteError)) return undefined;
  return UNAVAILABLE.has(primaryCode(error.code)) ? `${error.message} (${error.code})` : undefined;
}

const UNAVAILABLE: ReadonlySet<string> = new Set([
  'SQLITE_FULL',
  'SQLITE_READONLY',
  'SQLITE_IOERR',
  'SQLITE_BUSY',
  'SQLITE_CANTOPEN',
  'SQLITE_PERM',
  'SQLITE_NOMEM',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
]);

/** Whether another connection holds the file. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && primaryCode(error.code) === 'SQLITE_BUSY';
}

/** `SQLITE_IOERR` of `SQLITE_IOERR_FSYNC`. */
function primaryCode(code: string): string {
  return code.split('_').slice(0, 2).join('_');
}

/** What an operator can do about a file that SQLite could not open; every other error as it is. */
export function openingProblem(path: string, error: unknown): Error {
  if (!(error instanceof Database.SqliteError)) return error as Error;
  switch (primaryCode(error.code)) {
    case 'SQLITE_CORRUPT':
      return new OperatorProblem(`${path} is damaged (${error.message}). Restore a backup with \`pushctl restore\`.`);
    case 'SQLITE_NOTADB':
      return new OperatorProblem(
        `${path} is not an SQLite database. Restore a backup with \`pushctl restore\`, or move it away.`,
      );
    case 'SQLITE_BUSY':
      return new OperatorProblem(
        `${path} is locked by another program, such as an open sqlite3 shell. End it and try again.`,
      );
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
      return new OperatorProblem(
        `${path} cannot be written (${error.message}). Check the owner and the mode of it and its folder.`,
      );
    case 'SQLITE_FULL':
      return new OperatorProblem(`there is no space left for ${path}. Free some and try again.`);
    default:
      return new OperatorProblem(`${path} cannot be opened (${error.code}: ${error.message}).`);
  }
}
