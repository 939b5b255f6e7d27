import { existsSync } from 'node:fs';
import { putInPlace } from '../../files/write.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { type DataFolder, databasePath, prepareFolder } from '../data-folder.ts';
import { MARK_MOVED, MOVED, type MovedRow, refuseMoved, UNMARK_MOVED } from '../moved.ts';
import { hasOwnBaseline } from '../schema/version.ts';
import { findDamage, noDatabase, openDatabase } from '../sqlite/database.ts';
import { openingProblem } from '../sqlite/errors.ts';
import { removeDatabase } from '../sqlite/files/database-files.ts';
import { type Lock, takeLock } from '../sqlite/files/lock.ts';
import { refuseToForget } from '../sqlite/files/rescue.ts';
import { upgrade } from '../sqlite/files/upgrade.ts';
import { migrate, readMigrations, schemaOf } from '../sqlite/migrations.ts';
import { sqlOver } from '../sqlite/sql.ts';
import type { Db } from '../sqlite/transaction.ts';
import { type Column, quoted, type Source, type Tables, type Target } from './copying.ts';

/** A data folder's database, open only here. */
interface OwnedSource extends Source, Disposable {
  /** Stores safely that no server serves it. */
  mark(moved: MovedRow): void;
  unmark(): void;
}

/** A new database of a data folder without one. It exists only once `keep` was called. */
interface OwnedTarget extends Target, Disposable {
  /** Puts it in place, whole and safely stored. */
  keep(): void;
}

/** Eight times a server's: indexes are filled out of order. */
const CACHE_KIB = 64_000;

/** Opens the source and upgrades its schema. Throws `OperatorProblem` if missing, in use, damaged or moved. */
export function openSource(dataDir: string): OwnedSource {
  const { db, folder, lock, close } = owned(dataDir);
  const sql = sqlOver(db);
  try {
    upgradeUnlessOther(db, folder);
    refuseMoved(folder.path, sql.get<object, MovedRow>(MOVED)({}));
    const [damage] = findDamage(db, 'quick_check');
    if (damage !== undefined) {
      throw new OperatorProblem(`${folder.database} is damaged (${damage}).`, 1, { advice: 'Restore a backup first.' });
    }
    lock.markWhole();
  } catch (error) {
    close();
    throw error;
  }
  return {
    engine: 'sqlite',
    place: folder.path,
    tables: tablesOf(db),
    sql,
    lastIds() {
      const rows = sql.all<object, { name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence')({});
      return new Map(rows.map(({ name, seq }) => [name, seq]));
    },
    mark: (moved) => void sql.run<object>(MARK_MOVED)(moved),
    unmark: () => void sql.run<object>(UNMARK_MOVED)({}),
    [Symbol.dispose]: close,
  };
}

/** Other baselines' schemas stay: their columns decide about the move. */
function upgradeUnlessOther(db: Db, folder: DataFolder): void {
  if (hasOwnBaseline(schemaOf(db), readMigrations())) upgrade(db, folder);
}

/** Makes a folder's moved database usable again. Returns where it was moved; null: it was not. */
export function unmarkFolder(dataDir: string): MovedRow | null {
  const { db, folder, close } = owned(dataDir);
  try {
    upgradeUnlessOther(db, folder);
    const moved = sqlOver(db).get<object, MovedRow>(MOVED)({});
    sqlOver(db).run<object>(UNMARK_MOVED)({});
    return moved ?? null;
  } finally {
    close();
  }
}

function owned(dataDir: string): {
  readonly db: Db;
  readonly folder: DataFolder;
  readonly lock: Lock;
  readonly close: () => void;
} {
  refuseAbsent(dataDir);
  const folder = prepareFolder(dataDir);
  const lock = takeLock(folder);
  try {
    folder.claim(folder.database);
    const db = openDatabase(folder.database);
    const close = () => {
      db.close();
      lock.release();
    };
    return { db, folder, lock, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Throws an `OperatorProblem` if the folder has no database. */
export function refuseAbsent(dataDir: string): void {
  const path = databasePath(dataDir);
  if (!existsSync(path)) throw noDatabase(path);
}

/** Throws `OperatorProblem` if the folder is unusable, in use, or has a database. */
export function openTarget(dataDir: string): OwnedTarget {
  const folder = prepareFolder(dataDir);
  const lock = takeLock(folder);
  const unfinished = `${folder.database}.moving`;
  let db: Db | undefined;
  const close = () => {
    db?.close();
    removeDatabase(unfinished);
    lock.release();
  };
  try {
    refuseFilled(folder);
    removeDatabase(unfinished);
    folder.claim(unfinished);
    db = openDatabase(unfinished);
    prepare(db);
    migrate(db);
    // All are checked at the end: a subscription may await removal with its channel.
    db.pragma('foreign_keys = OFF');
    return targetOver(db, folder, unfinished, lock, close);
  } catch (error) {
    close();
    throw openingProblem(unfinished, error);
  }
}

function refuseFilled(folder: DataFolder): void {
  if (existsSync(folder.database)) {
    throw new OperatorProblem(`${folder.path} has a database already.`, 1, {
      advice: `Use another folder, or move ${folder.database} away first.`,
    });
  }
  refuseToForget(folder);
}

function targetOver(db: Db, folder: DataFolder, unfinished: string, lock: Lock, close: () => void): OwnedTarget {
  db.exec('BEGIN');
  const addTriggers = removeTriggers(db);
  return {
    engine: 'sqlite',
    place: folder.path,
    tables: tablesOf(db),
    sql: sqlOver(db),

    /** Orders rows by key, as in the file. */
    orderOf(table) {
      const key = db
        .prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
        .pluck()
        .all(table);
      return key.length === 0 ? '' : `ORDER BY ${key.map(quoted).join(', ')}`;
    },

    adder(table, columns) {
      const names = columns.map(quoted).join(', ');
      const insert = db.prepare(
        `INSERT INTO ${quoted(table)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
      );
      return (rows) => {
        for (const row of rows) insert.run(columns.map((name) => row[name]));
      };
    },

    goOnBehind(lastIds) {
      const forget = db.prepare<[string]>('DELETE FROM sqlite_sequence WHERE name = ?');
      const remember = db.prepare<[string, number]>('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)');
      for (const [table, last] of lastIds) {
        forget.run(table);
        remember.run(table, last);
      }
    },

    execute: (text) => void db.exec(text),

    finish() {
      addTriggers();
      const [broken] = db.pragma('foreign_key_check') as readonly { readonly table: string }[];
      if (broken !== undefined) throw new OperatorProblem(`rows of ${broken.table} refer to missing rows.`);
      db.exec('COMMIT');
      const [damage] = findDamage(db, 'quick_check');
      if (damage !== undefined) throw new OperatorProblem(`${unfinished} is damaged: ${damage}.`);
      db.close();
    },

    keep() {
      putInPlace(unfinished, folder.database);
      lock.markWhole();
    },
    [Symbol.dispose]: close,
  };
}

/** Removes triggers that would count and report copied rows. Returns how to restore them. */
function removeTriggers(db: Db): () => unknown {
  const triggers = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${quoted(name)}`);
  return () => db.exec(triggers.map(({ sql }) => `${sql};`).join('\n'));
}

function tablesOf(db: Db): Tables {
  const tables = db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*' ORDER BY rowid",
    )
    .pluck()
    .all();
  const columns = db.prepare<[string], { name: string; type: string; isRequired: number }>(`
    SELECT name, type, "notnull" AND dflt_value IS NULL AS isRequired FROM pragma_table_xinfo(?) WHERE hidden = 0`);
  const columnsOf = (table: string): readonly Column[] =>
    columns.all(table).map((column) => ({ ...column, isRequired: column.isRequired === 1 }));
  return new Map(tables.map((table) => [table, columnsOf(table)]));
}

/** Turns off syncs and rollbacks: a half-filled database is useless. */
function prepare(db: Db): void {
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.pragma('temp_store = FILE');
  db.pragma(`cache_size = -${CACHE_KIB}`);
}
