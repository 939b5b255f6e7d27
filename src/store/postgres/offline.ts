import { offlineStatus } from '../handlers/stored-status.ts';
import { namesIn } from '../handlers/suggestions.ts';
import { MOVED, type MovedRow } from '../moved.ts';
import type { Name, NameQuery } from '../records.ts';
import type { Sql } from '../sql.ts';
import type { StoredStatus } from '../stored-status.ts';
import { planMigration, readMigrations } from './migrations.ts';
import { withConnections } from './opening.ts';

/**
 * Reads the status offline, in one snapshot; null: older schema or empty. Rejects with OperatorProblem if unreadable.
 */
export function readStoredStatus(url: string): Promise<StoredStatus | null> {
  return withConnections({ url, most: 1 }, ({ transaction, place }) =>
    transaction('long read', async (connection) => {
      const { found } = await planMigration(connection, place);
      return found.version < readMigrations().length ? null : offlineStatus(connection.sql);
    }),
  );
}

/** Returns where the store was moved; null: it was not. */
export async function movedFrom(sql: Sql): Promise<MovedRow | null> {
  return (await sql.get<object, MovedRow>(MOVED)({})) ?? null;
}

/** Short: the user is typing. */
const CONNECT_MS = 2_000;

/** Lists names. Rejects if unreadable. */
export function listNames(url: string, query: NameQuery): Promise<readonly Name[]> {
  return withConnections({ url, most: 1, connectMs: CONNECT_MS, answerMs: CONNECT_MS }, ({ transaction }) =>
    transaction('read', ({ sql }) => namesIn(sql, query)),
  );
}
