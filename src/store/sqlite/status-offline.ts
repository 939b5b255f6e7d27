import { MOVED, type MovedRow } from '../moved.ts';
import type { StoredStatus } from '../stored-status.ts';
import { storedStatus } from '../verbs/stored-status.ts';
import { openReadOnly } from './database.ts';
import { databasePath } from './files/folder.ts';
import { sqlOver } from './sql.ts';
import type { Db } from './transaction.ts';

/** Reads beside the owner of the folder. Rejects with an OperatorProblem where there is no database that can be read. */
export async function readOfflineStatus(dataDir: string): Promise<StoredStatus> {
  const db = openReadOnly(databasePath(dataDir));
  try {
    return { ...(await storedStatus(sqlOver(db))), moved: movedFrom(db) };
  } finally {
    db.close();
  }
}

/** Where the store was moved to; null: it was not, or its schema is older. */
export function movedFrom(db: Db): MovedRow | null {
  const isKnown = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'moved'`).get() !== undefined;
  return isKnown ? (db.prepare<[], MovedRow>(MOVED).get() ?? null) : null;
}
