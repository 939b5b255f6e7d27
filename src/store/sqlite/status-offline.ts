import type { StoredStatus } from '../stored-status.ts';
import { storedStatus } from '../verbs/stored-status.ts';
import { openReadOnly } from './database.ts';
import { databasePath } from './files/folder.ts';
import { sqlOver } from './sql.ts';

/** Reads beside the owner of the folder. Rejects with an OperatorProblem where there is no database that can be read. */
export async function readOfflineStatus(dataDir: string): Promise<StoredStatus> {
  const db = openReadOnly(databasePath(dataDir));
  try {
    return await storedStatus(sqlOver(db));
  } finally {
    db.close();
  }
}
