import { momentOf, systemClock } from '../../process/clock.ts';
import { databasePath } from '../data-folder.ts';
import { storedStatus } from '../handlers/stored-status.ts';
import { MOVED, type MovedRow } from '../moved.ts';
import type { StoredStatus } from '../stored-status.ts';
import { openReadOnly } from './database.ts';
import { openingProblem } from './errors.ts';
import { pendingMigrations, readMigrations, schemaVersion } from './migrations.ts';
import { sqlOver } from './sql.ts';
import type { Db } from './transaction.ts';

/** The state in the database of a folder, read without a server. */
export interface OfflineStatus {
  readonly schema: { readonly version: number; readonly known: number };
  /** Null: its schema is older than this version's. */
  readonly stored: StoredStatus | null;
  /** The place that the store was moved to; null: it was not moved, or its schema is older. */
  readonly moved: MovedRow | null;
}

/**
 * Reads beside the owner of the folder. Rejects with an `OperatorProblem` where there is no database that can be read,
 * or one of a newer version.
 */
export async function readOffline(dataDir: string): Promise<OfflineStatus> {
  const path = databasePath(dataDir);
  using db = openReadOnly(path);
  try {
    const migrations = readMigrations();
    const isOlder = pendingMigrations(db, migrations).length > 0;
    const schema = { version: schemaVersion(db), known: migrations.length };
    if (isOlder) return { schema, stored: null, moved: null };
    return { schema, stored: await storedStatus(sqlOver(db), momentOf(systemClock())), moved: movedFrom(db) };
  } catch (error) {
    throw openingProblem(path, error);
  }
}

/** Returns the place that the store was moved to; null: it was not moved. */
function movedFrom(db: Db): MovedRow | null {
  return db.prepare<[], MovedRow>(MOVED).get() ?? null;
}
