import { databasePath } from '../data-folder.ts';
import { offlineStatus } from '../handlers/stored-status.ts';
import { namesIn } from '../handlers/suggestions.ts';
import { MOVED, type MovedRow } from '../moved.ts';
import type { Name, NameQuery } from '../records.ts';
import type { StoredStatus } from '../stored-status.ts';
import { openReadOnly } from './database.ts';
import { openingProblem } from './errors.ts';
import { pendingMigrations, readMigrations, schemaVersion } from './migrations.ts';
import { sqlOver } from './sql.ts';
import type { Db } from './transaction.ts';

/** A folder's database state, read offline. */
export interface OfflineStatus {
  readonly schema: { readonly version: number; readonly known: number };
  /** Null: older schema. */
  readonly stored: StoredStatus | null;
  /** The new place of a moved store; null: not moved, or an older schema. */
  readonly moved: MovedRow | null;
}

/** Reads beside the folder's owner. Rejects with `OperatorProblem` if unreadable or newer. */
export async function readOffline(dataDir: string): Promise<OfflineStatus> {
  const path = databasePath(dataDir);
  using db = openReadOnly(path);
  try {
    const migrations = readMigrations();
    const isOlder = pendingMigrations(db, migrations).length > 0;
    const schema = { version: schemaVersion(db), known: migrations.length };
    if (isOlder) return { schema, stored: null, moved: null };
    return { schema, stored: await offlineStatus(sqlOver(db)), moved: movedFrom(db) };
  } catch (error) {
    throw openingProblem(path, error);
  }
}

/** Returns where the store was moved; null: it was not. */
function movedFrom(db: Db): MovedRow | null {
  return db.prepare<[], MovedRow>(MOVED).get() ?? null;
}

/** Reads names beside the data folder's owner. Rejects with `OperatorProblem` if unreadable. */
export async function listNames(dataDir: string, query: NameQuery): Promise<readonly Name[]> {
  using db = openReadOnly(databasePath(dataDir));
  return await namesIn(sqlOver(db), query);
}
