import { closeSync, lstatSync, openSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { actAsOwnerOf } from '../../files/act-as-owner.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { openingProblem } from './errors.ts';
import { APPLICATION_ID, foreignDatabase } from './migrations.ts';
import type { Db } from './transaction.ts';

/** Closed where its scope ends. */
export type OpenedDb = Db & Disposable;

/** There is no database in the data folder: none was made yet, or it is elsewhere. */
export class NoDatabase extends OperatorProblem {}

export function noDatabase(path: string): NoDatabase {
  return new NoDatabase(`there is no database ${path}.`);
}

/** The data folder has one owner, so only a foreign tool can hold the database; a wait would block the whole thread. */
const BUSY_TIMEOUT_MS = 250;
const CACHE_KIB = 8_000;
const WAL_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Opens (or creates) the database at `path`; `migrate` it before use. Throws an `OperatorProblem` where the file cannot
 * be opened, is damaged, or is not a database.
 */
export function openDatabase(path: string): OpenedDb {
  refuseForeign(path);
  return opened(path, { readonly: false, prepare });
}

/**
 * Another look at the database at `path`, beside its owner's: it sees one moment and changes nothing. Root opens it as
 * that owner, as SQLite makes files beside it. Throws an `OperatorProblem` where there is none, or none that can be
 * read.
 */
export function openReadOnly(path: string): OpenedDb {
  using _ = workAsOwnerOf(path);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw noDatabase(path);
  if (!found.isFile()) throw new OperatorProblem(`${path} is a link or not a regular file. Links are not followed.`);
  return opened(path, { readonly: true });
}

/** Beside the owner of the database, in its process: to checkpoint its log, and for nothing else. */
export function openSecond(path: string): OpenedDb {
  return opened(path, { readonly: false, fileMustExist: true });
}

/** Returns the damage of the file. Checks every page, and with `integrity_check` every index entry too. Empty: none. */
export function findDamage(db: Db, check: 'integrity_check' | 'quick_check' = 'integrity_check'): readonly string[] {
  try {
    const lines = db.pragma(`${check}(10)`) as readonly Readonly<Record<string, string>>[];
    // A row may have many lines, below a heading.
    const found = lines.flatMap((line) => line[check]?.split('\n') ?? []);
    return found.filter((line) => line !== 'ok' && !line.startsWith('***'));
  } catch (error) {
    return [(error as Error).message];
  }
}

/**
 * Acts as the owner of `path` for work on a database. Loads SQLite before, since the owner may be unable to read it.
 */
export function workAsOwnerOf(path: string): Disposable {
  loadSqlite();
  return actAsOwnerOf(path);
}

/** The library loads it at its first use. */
export function loadSqlite(): void {
  refuseOldNode();
  new Database(':memory:').close();
}

/** better-sqlite3 13 needs Node-API 10; on an older Node it does not throw, the process dies. */
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
    prepare?.(db);
    // SQLite looks into a file only when it is asked for something.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return Object.assign(db, { [Symbol.dispose]: db.close });
  } catch (error) {
    db?.close();
    throw openingProblem(path, error);
  }
}

/** Places in the head of a database, and in its first page (https://www.sqlite.org/fileformat2.html). */
const HEAD_BYTES = 112;
const MAGIC = 'SQLite format 3\0';
const AT = { userVersion: 60, applicationId: 68, pageType: 100, cells: 103 };
const LEAF_OF_TABLE = 0x0d;

/**
 * Looks at the bytes, as to open a database changes it: its journal mode, and files beside it. What has no table yet
 * may be ours: all that is in it may stand in its log.
 */
function refuseForeign(path: string): void {
  const head = headOf(path);
  if (head === null || head.toString('latin1', 0, MAGIC.length) !== MAGIC) return;
  if (head.readUInt32BE(AT.applicationId) === APPLICATION_ID) return;
  const isEmpty = head.readUInt8(AT.pageType) === LEAF_OF_TABLE && head.readUInt16BE(AT.cells) === 0;
  if (!isEmpty || head.readUInt32BE(AT.userVersion) !== 0) throw foreignDatabase(path);
}

/** Null: there is no file, or less in it than a database has. */
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
  // Holds only where the file is still empty. Pages that retention frees can be given back, a few at a time.
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  // An existing WAL database opens with NORMAL, which may lose the last commits when the power fails.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // Savepoints and sorts need no space on a disk that may be full.
  db.pragma('temp_store = MEMORY');
  // The driver's 16 MB cost 22 MB more in a large fan-out, and gain nothing that shows: the kernel keeps these pages
  // as well.
  db.pragma(`cache_size = -${CACHE_KIB}`);
  db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
}
