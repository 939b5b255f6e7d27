import { storedStatus } from '../handlers/stored-status.ts';
import { MOVED, type MovedRow } from '../moved.ts';
import type { Sql } from '../sql.ts';
import type { StoredStatus } from '../stored-status.ts';
import { connectionsTo } from './connections.ts';
import { openingProblem } from './errors.ts';
import { readMigrations, schemaOf } from './migrations.ts';

/**
 * What the database alone shows, at one moment; null: its schema is older, or there is nothing in it yet. Rejects with
 * an OperatorProblem where it cannot be read.
 */
export async function readStoredStatus(url: string): Promise<StoredStatus | null> {
  const connections = connectionsTo({ url, most: 1 });
  try {
    return await connections.transaction('long read', async (connection) => {
      const { version } = await schemaOf(connection, connections.place);
      return version < readMigrations().length ? null : storedStatus(connection.sql, Date.now());
    });
  } catch (error) {
    throw openingProblem(connections.place, error);
  } finally {
    await connections.close();
  }
}

/** Where the store was moved to; null: it was not. */
export async function movedFrom(sql: Sql): Promise<MovedRow | null> {
  return (await sql.get<object, MovedRow>(MOVED)({})) ?? null;
}
