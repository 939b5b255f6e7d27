import { setTimeout } from 'node:timers/promises';
import { isBreaking, oldestAfter } from '../schema/files.ts';
import type { SchemaVersion } from '../schema/version.ts';
import type { Connection, Connections } from './connections.ts';
import { takingLock } from './locks.ts';
import { migrate, planMigration, readMigrations } from './migrations.ts';
import { refuseServer, withConnections } from './opening.ts';
import { NOW_MS } from './sql.ts';

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

/** A server that was asked to leave. */
interface Dismissed {
  readonly name: string;
  readonly version: string;
}

/**
 * Only tables, columns and this notice are used here, since the functions are still those of the older version. Nodes
 * without notices read `oldest` once a second.
 */
const SET_OLDEST = 'UPDATE pushctl_schema SET oldest = :oldest WHERE version = :version';
const NOTIFY = `SELECT pg_notify('pushctl_' || current_schema()::text::regnamespace::oid, 'changes')`;
const LIVING = `SELECT name, version, lease_ms FROM node WHERE NOT is_evicted AND lease_end > ${NOW_MS} ORDER BY name`;
/** Ends also a lease that is never renewed again, such as after the database's clock was set back. */
const EVICT = `UPDATE node SET is_evicted = true, lease_end = least(lease_end, ${NOW_MS}) WHERE NOT is_evicted`;

const LOOK_EVERY_MS = 100;

/**
 * Makes all servers leave that do not know the schema `oldest`: they hand their work back, stop, and cannot join again.
 * Resolves once none is left, after a lease at the latest. `onWait` gets them first.
 */
export async function dismissOlder(
  connections: Connections,
  { version }: SchemaVersion,
  oldest: number,
  onWait: (servers: readonly Dismissed[]) => void,
): Promise<void> {
  const readLiving = ({ sql }: Connection) => sql.all<object, Dismissed & { readonly lease_ms: number }>(LIVING)({});
  const servers = await connections.transaction('long write', async (connection) => {
    await connection.sql.run<object>(SET_OLDEST)({ oldest, version });
    await connection.sql.value<object, string>(NOTIFY)({});
    // None has learned of it before the commit, so none has left.
    return readLiving(connection);
  });
  if (servers.length > 0) onWait(servers);
  const deadlineMs = performance.now() + Math.max(0, ...servers.map(({ lease_ms }) => lease_ms));
  while ((await connections.lend(readLiving)).length > 0 && performance.now() < deadlineMs)
    await setTimeout(LOOK_EVERY_MS);
  await connections.lend(({ sql }) => sql.run<object>(EVICT)({}));
}

/** Lets servers join again that know the schema `oldest`, after an upgrade that failed. */
export async function readmitOlder(
  connections: Connections,
  { version }: SchemaVersion,
  oldest: number,
): Promise<void> {
  await connections.transaction('long write', async ({ execute, sql }) => {
    await execute(takingLock('migrations'));
    await sql.run<object>(SET_OLDEST)({ oldest, version });
  });
}
