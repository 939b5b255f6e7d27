import type { Connections } from './connections.ts';
import { migrate, planMigration, readMigrations } from './migrations.ts';
import { refuseServer, withConnections } from './opening.ts';

/** A database's schema version, the target version, and the files to apply. */
export interface SchemaPlan {
  readonly schema: number;
  readonly oldest: number;
  readonly target: number;
  readonly migrations: readonly string[];
}

/** Returns what `upgrade` would do, or throws like it. */
export function planUpgrade(url: string): Promise<SchemaPlan> {
  return over(url, async (connections) => {
    const { found, pending } = await connections.lend((connection) => planMigration(connection, connections.place));
    const target = Math.max(found.version, readMigrations().length);
    const { version: schema, oldest } = found;
    return { schema, oldest, target, migrations: pending.map(({ file }) => file) };
  });
}

/** Upgrades the schema, also beside servers; null: current. Throws an `OperatorProblem` if it cannot. */
export function upgrade(url: string): Promise<{ readonly from: number; readonly to: number } | null> {
  return over(url, async (connections) => {
    const { found, pending } = await connections.lend((connection) => planMigration(connection, connections.place));
    const { version: to } = await migrate(connections);
    return pending.length === 0 ? null : { from: found.version, to };
  });
}

function over<T>(url: string, work: (connections: Connections) => Promise<T>): Promise<T> {
  return withConnections({ url }, async (connections) => {
    await connections.lend((connection) => refuseServer(connection, connections.place));
    return work(connections);
  });
}
