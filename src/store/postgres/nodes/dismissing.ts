import { setTimeout } from 'node:timers/promises';
import type { SchemaVersion } from '../../schema/version.ts';
import type { Connection, Connections } from '../connections.ts';
import { takingLock } from '../locks.ts';
import { NOW_MS } from '../sql.ts';

/** A server that was asked to leave. */
export interface Dismissed {
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
