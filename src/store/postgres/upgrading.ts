import type { Connections } from './connections.ts';
import { migrate, readMigrations, refuseNewer, schemaOf } from './migrations.ts';
import { refuseServer, withConnections } from './opening.ts';

/** The schema that a database has, the one that this version makes of it, and the files that would be applied. */
export interface SchemaPlan {
  readonly schema: number;
  readonly target: number;
  readonly migrations: readonly string[];
}

/** What `upgrade` would do. Looks only. Throws as it does. */
export function planUpgrade(url: string): Promise<SchemaPlan> {
  return over(url, async (connections) => {
    const { place } = connections;
    const found = await connections.lend((connection) => schemaOf(connection, place));
    const known = readMigrations();
    refuseNewer(found, known.length, place);
    const migrations = known.slice(found.version).map(({ file }) => file);
    return { schema: found.version, target: Math.max(found.version, known.length), migrations };
  });
}

/**
 * Brings the schema up to date, while servers run as well; null: there was nothing to do. Throws an `OperatorProblem`
 * where that is not possible.
 */
export function upgrade(url: string): Promise<{ readonly from: number; readonly to: number } | null> {
  return over(url, async (connections) => {
    const { version: from } = await connections.lend((connection) => schemaOf(connection, connections.place));
    const { version: to } = await migrate(connections);
    return from === to ? null : { from, to };
  });
}

function over<T>(url: string, work: (connections: Connections) => Promise<T>): Promise<T> {
  return withConnections({ url }, async (connections) => {
    await connections.lend((connection) => refuseServer(connection, connections.place));
    return work(connections);
  });
}
