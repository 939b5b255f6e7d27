import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { databasePath } from '../../src/store/data-folder.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import { temporaryFolder } from './folder.ts';
import { NEW_DATABASE } from './new-database.ts';

/** What a new database looks like. */
let made: Buffer | undefined;

/** A data folder of one test's own with a new database in it: a copy, as its migrations take longer than most tests. */
export function dataFolder(): string {
  const folder = temporaryFolder();
  made ??= ofTheRun() ?? newDatabase();
  writeFileSync(databasePath(folder), made, { mode: 0o600 });
  return folder;
}

/** Null for a file that is run by itself. The first file of a run makes it for the others. */
function ofTheRun(): Buffer | null {
  const path = process.env[NEW_DATABASE];
  if (path === undefined) return null;
  try {
    return readFileSync(path);
  } catch {
    const database = newDatabase();
    const own = `${path}.${process.pid}`;
    writeFileSync(own, database, { mode: 0o644 });
    // Whole from the start: others may be looking.
    renameSync(own, path);
    return database;
  }
}

function newDatabase(): Buffer {
  const path = databasePath(temporaryFolder());
  const db = openDatabase(path);
  migrate(db);
  db.close();
  return readFileSync(path);
}
