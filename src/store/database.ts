import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { OperatorProblem } from '../problem.ts';
import type { Db } from './handlers.ts';
import { openingProblem } from './sqlite-errors.ts';

/** The data folder has one owner, so only a foreign tool can hold the database; a wait would block the whole thread. */
const BUSY_TIMEOUT_MS = 250;
const CACHE_KIB = 8_000;
const WAL_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Opens (or creates) the database at `path`; `migrate` it before use. Throws an `OperatorProblem` where the file cannot
 * be opened, is damaged, or is not a database.
 */
export function openDatabase(path: string): Db {
  return opened(path, { readonly: false, prepare });
}

/**
 * Another look at the database at `path`, beside its owner's: it sees one moment and changes nothing. Throws an
 * `OperatorProblem` where there is none, or none that can be read.
 */
export function openReadOnly(path: string): Db {
  if (!existsSync(path)) throw new OperatorProblem(`there is no database ${path}.`);
  return opened(path, { readonly: true });
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

/** better-sqlite3 13 needs Node-API 10; on an older Node it does not throw, the process dies. */
export function refuseOldNode(): void {
  if (Number(process.versions.napi) >= 10) return;
  throw new OperatorProblem(`Node ${process.versions.node} is too old; pushctl needs Node 22.14 or newer.`);
}

interface Opening {
  readonly readonly: boolean;
  readonly prepare?: (db: Db) => void;
}

function opened(path: string, { readonly, prepare }: Opening): Db {
  refuseOldNode();
  let db: Db | undefined;
  try {
    db = new Database(path, { readonly, timeout: BUSY_TIMEOUT_MS });
    prepare?.(db);
    // SQLite looks into a file only when it is asked for something.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } catch (error) {
    db?.close();
    throw openingProblem(path, error);
  }
}

function prepare(db: Db): void {
  // Holds only where the file is still empty. Pages that retention frees can be given back, a few at a time.
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  // An existing WAL database opens with NORMAL, which may lose the last commits when the power fails.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // Savepoints and sorts need no space on a disk that may be full.
  db.pragma('temp_store = MEMORY');
  // The driver's 16 MB cost 22 MB more in a large fan-out, and gain nothing that shows: the kernel keeps these pages as well.
  db.pragma(`cache_size = -${CACHE_KIB}`);
  db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
}
