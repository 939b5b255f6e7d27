import { isBreaking, oldestAfter } from '../schema/files.ts';
import type { Connections } from './connections.ts';
import { migrate, planMigration, readMigrations } from './migrations.ts';
import { type Dismissed, dismissOlder, readmitOlder } from './nodes/dismissing.ts';
import { refuseServer, withConnections } from './opening.ts';

/** A database's schema version, the target version, and the files to apply. */
interface SchemaPlan {
  readonly schema: number;
  readonly oldest: number;
  readonly target: number;
  /** Programs that do not know `target` cannot use it. */
  readonly breaks: boolean;
  readonly migrations: readonly string[];
}

/** Returns what `upgrade` would do, or throws like it. */
export function planUpgrade(url: string): Promise<SchemaPlan> {
  return over(url, async (connections) => {
    const { found, pending } = await planOver(connections);
    const target = Math.max(found.version, readMigrations().length);
    const { version: schema, oldest } = found;
    const breaks = schema > 0 && pending.some(isBreaking);
    return { schema, oldest, target, breaks, migrations: pending.map(({ file }) => file) };
  });
}

/**
 * Upgrades the schema, also beside servers; null: current. Makes servers leave that cannot use the new schema; `onWait`
 * gets them. Throws an `OperatorProblem` if it cannot, and lets them return.
 */
export function upgrade(
  url: string,
  onWait: (servers: readonly Dismissed[]) => void,
): Promise<{ readonly from: number; readonly to: number } | null> {
  return over(url, async (connections) => {
    const { found, pending } = await planOver(connections);
    const isBroken = found.version > 0 && pending.some(isBreaking);
    try {
      if (isBroken) await dismissOlder(connections, found, oldestAfter(readMigrations()), onWait);
      const { version: to } = await migrate(connections);
      return pending.length === 0 ? null : { from: found.version, to };
    } catch (error) {
      // After a loss of the database, the next `pushctl migrate` goes on.
      const oldest = oldestAfter(readMigrations().slice(0, found.version));
      if (isBroken) await readmitOlder(connections, found, oldest).catch(() => {});
      throw error;
    }
  });
}

function planOver({ lend, place }: Connections): ReturnType<typeof planMigration> {
  return lend((connection) => planMigration(connection, place));
}

function over<T>(url: string, work: (connections: Connections) => Promise<T>): Promise<T> {
  return withConnections({ url }, async (connections) => {
    await connections.lend((connection) => refuseServer(connection, connections.place));
    return work(connections);
  });
}
