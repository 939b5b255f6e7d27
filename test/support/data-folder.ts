import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { databasePath } from '../../src/store/data-folder.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import { temporaryFolder } from './folder.ts';
import { madeOnce } from './made-once.ts';

/** What a new database looks like. */
let made: Buffer | undefined;

/** A data folder of one test's own with a new database in it: a copy, as its migrations take longer than most tests. */
export function dataFolder(): string {
  const folder = temporaryFolder();
  putNewDatabase(folder);
  return folder;
}

/** Into a data folder, which is made where it is missing, unless there is one. */
export function putNewDatabase(folder: string): void {
  const path = databasePath(folder);
  if (existsSync(path)) return;
  made ??= madeOnce('new.db', newDatabase);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, made, { mode: 0o600 });
}

function newDatabase(): Buffer {
  const path = databasePath(temporaryFolder());
  const db = openDatabase(path);
  migrate(db);
  db.close();
  return readFileSync(path);
}
