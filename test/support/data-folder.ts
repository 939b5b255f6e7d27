import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { databasePath } from '../../src/store/data-folder.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import { temporaryFolder } from './folder.ts';
import { madeOnceSync } from './made-once.ts';

/** A data folder of one test's own with a new database in it: a copy, as its migrations take longer than most tests. */
export function dataFolder(): string {
  const folder = temporaryFolder();
  putNewDatabase(folder);
  return folder;
}

/** Puts a new database into a data folder, unless it has one. Makes the folder if it is missing. */
export function putNewDatabase(folder: string): void {
  const path = databasePath(folder);
  if (existsSync(path)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyFileSync(madeOnceSync('new.db', makeDatabase), path);
}

function makeDatabase(path: string): void {
  const db = openDatabase(path);
  migrate(db);
  db.close();
}
