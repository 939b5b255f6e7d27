import { readFileSync, writeFileSync } from 'node:fs';
import { databasePath } from '../../src/store/data-folder.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import { temporaryFolder } from './folder.ts';

/** What a new database looks like. */
let made: Buffer | undefined;

/** A data folder of one test's own with a new database in it: a copy, as its migrations take longer than most tests. */
export function dataFolder(): string {
  const folder = temporaryFolder();
  made ??= newDatabase();
  writeFileSync(databasePath(folder), made, { mode: 0o600 });
  return folder;
}

function newDatabase(): Buffer {
  const path = databasePath(temporaryFolder());
  const db = openDatabase(path);
  migrate(db);
  db.close();
  return readFileSync(path);
}
