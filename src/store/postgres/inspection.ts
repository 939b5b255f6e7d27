import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { TLSSocket } from 'node:tls';
import type pg from 'pg';
import { OperatorProblem } from '../../process/problem.ts';
import type { MovedRow } from '../moved.ts';
import { isBreaking } from '../schema/files.ts';
import { refuseSchema } from '../schema/version.ts';
import type { Sql } from '../sql.ts';
import { Client, lost, placeOf } from './client.ts';
import { CONNECT_MS, type Connections } from './connections.ts';
import { openingProblem } from './errors.ts';
import { readMigrations, schemaOf } from './migrations.ts';
import { type NodeState, nodesIn } from './nodes/states.ts';
import { movedFrom } from './offline.ts';
import { refuseServer, withConnections } from './opening.ts';
import { NOW_MS } from './sql.ts';

/** Facts about a database and its connection, readable by any user. */
export interface Inspection {
  /** `host:port/database`. */
  readonly place: string;
  /** `15.3`. */
  readonly version: string;
  /** A standby, or read-only. */
  readonly onlyReads: boolean;
  /** `known`: the newest schema known here. Version 0: empty. `breaks`: an upgrade makes older servers stop. */
  readonly schema: { readonly version: number; readonly known: number; readonly breaks: boolean };
  readonly connection: ConnectionCheck;
  /** Null: untested. */
  readonly notices: Notices | null;
  readonly durability: Durability;
  readonly connections: { readonly most: number; readonly used: number };
  /** `aheadMs`: the database clock's lead over ours. `withinMs`: the accuracy. */
  readonly clock: { readonly aheadMs: number; readonly withinMs: number };
  /** Age of the oldest open transaction, which keeps old row versions. */
  readonly oldestTransactionMs: number;
  /** The slot without a standby that keeps most log. */
  readonly keptForAbsent: { readonly slot: string; readonly bytes: number } | null;
  /** Tables of other users, which an upgrade cannot change. */
  readonly foreignTables: readonly string[];
  readonly nodes: readonly NodeState[];
  /** The new place of a moved store; null: not moved. */
  readonly moved: MovedRow | null;
}

/** Our user's settings for commits to survive a crash. */
export interface Durability {
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  /** `on`, `remote_apply`, `remote_write`, `local` or `off`. */
  readonly synchronousCommit: string;
  /** Standbys that commits wait for; '': none. */
  readonly synchronousStandbyNames: string;
  readonly standbys: readonly Standby[];
}

/** `sync`: `sync`, `quorum`, `potential` or `async`; null: hidden from us. */
export interface Standby {
  readonly name: string;
  readonly sync: string | null;
}

interface Inspected {
  readonly url: string;
  /** The address for testing notices. */
  readonly listenUrl?: string;
  /** Longest wait for a notice, ms. */
  readonly noticeMs?: number;
}

/**
 * Inspects the database without creating a schema. Throws `OperatorProblem` if unreachable, too old, or with an
 * unusable schema.
 */
export function inspectPostgres({ url, listenUrl, noticeMs }: Inspected): Promise<Inspection> {
  return withConnections({ url, most: 2 }, async (connections) => {
    const facts = await connections.lend(async (connection) => {
      await refuseServer(connection, connections.place);
      const { sql } = connection;
      const found = await schemaOf(connection, connections.place);
      const migrations = readMigrations();
      refuseSchema(found, migrations, connections.place);
      const { version } = found;
      const breaks = version > 0 && migrations.slice(version).some(isBreaking);
      const schema = { version, known: migrations.length, breaks };
      const nodes = await nodesIn(sql, found);
      const isEmpty = schema.version === 0;
      const moved = isEmpty ? null : await movedFrom(sql);
      return { ...(await factsOf(sql)), schema, nodes, moved };
    });
    const connection = await checkConnection(url);
    const notices = listenUrl === undefined ? null : await tryNotices(connections, listenUrl, noticeMs);
    return { place: connections.place, ...facts, connection, notices };
  });
}

const SERVER = `
  SELECT current_setting('server_version') AS version,
         pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "onlyReads",
         CAST(current_setting('max_connections') AS INT) AS "mostConnections",
         (SELECT sum(numbackends) FROM pg_stat_database) AS "usedConnections",
         coalesce((SELECT max(extract(epoch FROM clock_timestamp() - xact_start)) * 1000 FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()), 0) AS "oldestTransactionMs"`;

const DURABILITY = `
  SELECT current_setting('fsync') = 'on' AS fsync,
         current_setting('full_page_writes') = 'on' AS "fullPageWrites",
         current_setting('synchronous_commit') AS "synchronousCommit",
         current_setting('synchronous_standby_names') AS "synchronousStandbyNames"`;

/** Selects standbys, without clients copying the database (backups, starting standbys). */
const STANDBYS = `
  SELECT application_name AS name, sync_state AS sync FROM pg_stat_replication
  WHERE state IS NULL OR state NOT IN ('startup', 'backup', 'stopping') ORDER BY name`;

const KEPT_FOR_ABSENT = `
  SELECT slot_name AS slot, pg_wal_lsn_diff(lsn, restart_lsn) AS bytes
  FROM pg_replication_slots,
       (SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END AS lsn) AS latest
  WHERE NOT active AND restart_lsn IS NOT NULL ORDER BY bytes DESC LIMIT 1`;

const FOREIGN_TABLES = `
  SELECT relname FROM pg_class
  WHERE relnamespace = current_schema()::text::regnamespace AND relkind = 'r' AND NOT pg_has_role(relowner, 'USAGE')
  ORDER BY relname`;

type Facts = Omit<Inspection, 'place' | 'schema' | 'nodes' | 'moved' | 'connection' | 'notices'>;

interface ServerRow {
  readonly version: string;
  readonly onlyReads: boolean;
  readonly mostConnections: number;
  readonly usedConnections: number;
  readonly oldestTransactionMs: number;
}

async function factsOf(sql: Sql): Promise<Facts> {
  const server = await readRow<ServerRow>(sql, SERVER);
  return {
    version: server.version.split(' ')[0] ?? server.version,
    onlyReads: server.onlyReads,
    oldestTransactionMs: server.oldestTransactionMs,
    connections: { most: server.mostConnections, used: server.usedConnections },
    clock: await compareClocks(sql),
    durability: {
      ...(await readRow<Omit<Durability, 'standbys'>>(sql, DURABILITY)),
      standbys: await sql.all<object, Standby>(STANDBYS)({}),
    },
    keptForAbsent: (await sql.get<object, NonNullable<Facts['keptForAbsent']>>(KEPT_FOR_ABSENT)({})) ?? null,
    foreignTables: await sql.values<object, string>(FOREIGN_TABLES)({}),
  };
}

async function readRow<Row>(sql: Sql, text: string): Promise<Row> {
  const row = await sql.get<object, Row>(text)({});
  if (row === undefined) throw new Error('a statement that has one row had none');
  return row;
}

const COMPARISONS = 3;

/** Compares the clocks. The database reads its own within the round trip: the quickest is most accurate. */
async function compareClocks(sql: Sql): Promise<Inspection['clock']> {
  let best = { aheadMs: 0, withinMs: Number.POSITIVE_INFINITY };
  for (let count = 0; count < COMPARISONS; count += 1) {
    const askedMs = Date.now();
    const { nowMs } = await readRow<{ readonly nowMs: number }>(sql, `SELECT ${NOW_MS} AS "nowMs"`);
    const withinMs = (Date.now() - askedMs) / 2;
    if (withinMs < best.withinMs) best = { aheadMs: Math.round(nowMs - askedMs - withinMs), withinMs };
  }
  return best;
}

/** Tests a database connection: whether it is safe, and notices arrive. */

interface ConnectionCheck {
  /** `TLSv1.3`; null: unencrypted. */
  readonly tls: string | null;
  /** Whether the server proved its name. */
  readonly isVerified: boolean;
  /** Whether it stays on this machine. */
  readonly isLocal: boolean;
}

/** `swallowed`: neither error nor notice. `problem`: why listening fails. */
type Notices =
  | { readonly kind: 'arrive'; readonly place: string }
  | { readonly kind: 'swallowed'; readonly place: string }
  | { readonly kind: 'unreachable'; readonly place: string; readonly problem: OperatorProblem };

async function checkConnection(url: string): Promise<ConnectionCheck> {
  return connected(url, async ({ connection }) => {
    // The driver's types lack the TLS stream.
    const stream: unknown = connection.stream;
    const isLocal = !('remoteAddress' in connection.stream) || isLoopback(connection.stream.remoteAddress);
    if (!(stream instanceof TLSSocket)) return { tls: null, isVerified: false, isLocal };
    return { tls: stream.getProtocol(), isVerified: stream.authorized, isLocal };
  });
}

const NOTICE_MS = 5_000;

/**
 * Listens at `listenUrl`, and notifies over the usual connections. Transaction poolers, and other databases, accept
 * LISTEN without delivering notices.
 */
async function tryNotices(connections: Connections, listenUrl: string, noticeMs = NOTICE_MS): Promise<Notices> {
  const place = placeOf(listenUrl);
  const channel = `pushctl_try_${randomBytes(8).toString('hex')}`;
  try {
    return await connected(listenUrl, async (client) => {
      await client.query(`LISTEN ${channel}`);
      const notice = once(client, 'notification', { signal: AbortSignal.timeout(noticeMs) });
      const kind = notice.then(
        () => 'arrive' as const,
        () => 'swallowed' as const,
      );
      await connections.lend(({ execute }) => execute(`NOTIFY ${channel}`));
      return { kind: await kind, place };
    });
  } catch (error) {
    const problem = openingProblem(place, error);
    if (problem instanceof OperatorProblem) return { kind: 'unreachable', place, problem };
    throw error;
  }
}

async function connected<T>(url: string, use: (client: pg.Client) => T | Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: 'pushctl',
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect().catch(lost);
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Unix sockets have no address. */
function isLoopback(address: unknown): boolean {
  return address === undefined || (typeof address === 'string' && /^(?:::ffff:)?127\.|^::1$/.test(address));
}
