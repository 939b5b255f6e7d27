import { closeSync, lstatSync, openSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isCoveredBy } from '../../contract/loudness.ts';
import { actAsOwnerOf } from '../../files/act-as-owner.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { openingProblem } from './errors.ts';
import { APPLICATION_ID, foreignDatabase } from './migrations.ts';
import type { Db } from './transaction.ts';

/** Closed with its scope. */
type OpenedDb = Db & Disposable;

/** The data folder has no database: not made yet, or elsewhere. */
export class NoDatabase extends OperatorProblem {}

export function noDatabase(path: string): NoDatabase {
  return new NoDatabase(`there is no database ${path}.`);
}

/** The data folder has one owner: only a foreign tool can hold the database. Waiting would block the whole thread. */
const BUSY_TIMEOUT_MS = 250;
const CACHE_KIB = 8_000;
const WAL_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Opens or creates the database; `migrate` before use. Throws `OperatorProblem` if unopenable, damaged, or no database.
 */
export function openDatabase(path: string): OpenedDb {
  refuseForeign(path);
  return opened(path, { readonly: false, prepare });
}

/**
 * Opens a read-only view of one moment beside the owner. Root opens it as that owner: SQLite makes files beside it.
 * Throws `OperatorProblem` if none is readable.
 */
export function openReadOnly(path: string): OpenedDb {
  using _ = workAsOwnerOf(path);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw noDatabase(path);
  if (!found.isFile()) throw new OperatorProblem(`${path} is a link or not a regular file. Links are not followed.`);
  return opened(path, { readonly: true });
}

/** Opens beside the owner, in its process, only to checkpoint the log. */
export function openSecond(path: string): OpenedDb {
  return opened(path, { readonly: false, fileMustExist: true });
}

/** Returns the file's damage; empty: none. Checks pages, with `integrity_check` also index entries. */
export function findDamage(db: Db, check: 'integrity_check' | 'quick_check' = 'integrity_check'): readonly string[] {
  try {
    const lines = db.pragma(`${check}(10)`) as readonly Readonly<Record<string, string>>[];
    // A row may have a heading and many lines.
    const found = lines.flatMap((line) => line[check]?.split('\n') ?? []);
    return found.filter((line) => line !== 'ok' && !line.startsWith('***'));
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Acts as the owner of `path`. Loads SQLite first: the owner may lack access. */
export function workAsOwnerOf(path: string): Disposable {
  loadSqlite();
  return actAsOwnerOf(path);
}

export function loadSqlite(): void {
  refuseOldNode();
  new Database(':memory:').close();
}

/** better-sqlite3 13 needs Node-API 10; older Nodes do not throw, but die. */
export function refuseOldNode(): void {
  if (Number(process.versions.napi) >= 10) return;
  throw new OperatorProblem(`Node ${process.versions.node} is too old; pushctl needs Node 22.14 or newer.`);
}

interface Opening {
  readonly readonly: boolean;
  readonly fileMustExist?: boolean;
  readonly prepare?: (db: Db) => void;
}

function opened(path: string, { readonly, fileMustExist = false, prepare }: Opening): OpenedDb {
  refuseOldNode();
  let db: Db | undefined;
  try {
    db = new Database(path, { readonly, fileMustExist, timeout: BUSY_TIMEOUT_MS });
    db.function('window_covers', { deterministic: true }, (only: string | null, key: string | null) =>
      Number(isCoveredBy(only, key)),
    );
    prepare?.(db);
    // SQLite opens a file only when asked.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return Object.assign(db, { [Symbol.dispose]: db.close });
  } catch (error) {
    db?.close();
    throw openingProblem(path, error);
  }
}

/** Places in a database's head and first page (https://www.sqlite.org/fileformat2.html). */
const HEAD_BYTES = 112;
const MAGIC = 'SQLite format 3\0';
const AT = { userVersion: 60, applicationId: 68, pageType: 100, cells: 103 };
const LEAF_OF_TABLE = 0x0d;

/**
 * Reads the bytes: opening a database changes its journal mode and files. Without tables it may be ours, with all
 * contents in the log.
 */
function refuseForeign(path: string): void {
  const head = headOf(path);
  if (head === null || head.toString('latin1', 0, MAGIC.length) !== MAGIC) return;
  if (head.readUInt32BE(AT.applicationId) === APPLICATION_ID) return;
  const isEmpty = head.readUInt8(AT.pageType) === LEAF_OF_TABLE && head.readUInt16BE(AT.cells) === 0;
  if (!isEmpty || head.readUInt32BE(AT.userVersion) !== 0) throw foreignDatabase(path);
}

/** Null: no file, or too short for a database. */
function headOf(path: string): Buffer | null {
  const head = Buffer.alloc(HEAD_BYTES);
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null; // SQLite says why.
  }
  try {
    return readSync(file, head) === HEAD_BYTES ? head : null;
  } finally {
    closeSync(file);
  }
}

function prepare(db: Db): void {
  // Works only on empty files. Pages freed by retention can be returned gradually.
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  // Existing WAL databases open with NORMAL, which may lose commits on power loss.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // Savepoints and sorts need no space on a full disk.
  db.pragma('temp_store = MEMORY');
  // The driver's 16 MB cost 22 MB more in a large fan-out without gain: the kernel caches them.
  db.pragma(`cache_size = -${CACHE_KIB}`);
  db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
}
