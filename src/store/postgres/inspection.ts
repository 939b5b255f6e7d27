import type { MovedRow } from '../moved.ts';
import { refuseSchema } from '../schema/version.ts';
import type { Sql } from '../sql.ts';
import { type ConnectionCheck, checkConnection, type Notices, tryNotices } from './connection-check.ts';
import { readMigrations, schemaOf } from './migrations.ts';
import { type NodeState, nodesIn } from './nodes/states.ts';
import { refuseServer, withConnections } from './opening.ts';
import { NOW_MS } from './sql.ts';
import { movedFrom } from './status-offline.ts';

/** What a database says of itself, and how it is reached. All that is asked is what any user may know. */
export interface Inspection {
  /** `host:port/database`. */
  readonly place: string;
  /** `15.3`. */
  readonly version: string;
  /** It takes no changes: a standby, or set to read-only. */
  readonly onlyReads: boolean;
  /** `known`: the newest schema that this program knows. Version 0: the database is empty. */
  readonly schema: { readonly version: number; readonly known: number };
  readonly connection: ConnectionCheck;
  /** Null: that was not tried. */
  readonly notices: Notices | null;
  readonly durability: Durability;
  readonly connections: { readonly most: number; readonly used: number };
  /** By how much its clock is ahead of this machine's, and how exactly that is known. */
  readonly clock: { readonly aheadMs: number; readonly withinMs: number };
  /** How long a transaction has been open, at most: it keeps rows that no other needs. */
  readonly oldestTransactionMs: number;
  /** Log that is kept for standbys which are not there, the most for one. */
  readonly keptForAbsent: { readonly slot: string; readonly bytes: number } | null;
  /** Tables that our user does not own, so that an upgrade cannot change them. */
  readonly foreignTables: readonly string[];
  readonly nodes: readonly NodeState[];
  /** Where the store was moved to; null: it is here. */
  readonly moved: MovedRow | null;
}

/** What becomes of a commit, as settings for our user. */
export interface Durability {
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  /** `on`, `remote_apply`, `remote_write`, `local` or `off`. */
  readonly synchronousCommit: string;
  /** The standbys that a commit waits for; '': none. */
  readonly synchronousStandbyNames: string;
  readonly standbys: readonly Standby[];
}

/** `sync`: `sync`, `quorum`, `potential` or `async`; null: our user may not see it. */
export interface Standby {
  readonly name: string;
  readonly sync: string | null;
}

export interface Inspected {
  readonly url: string;
  /** Where notices are to be heard, to try whether they are. */
  readonly listenUrl?: string;
  /** For how long a notice is waited for. */
  readonly noticeMs?: number;
}

/**
 * Looks at the database without changing it: no schema is made. Throws an `OperatorProblem` if it cannot be
 * reached, is too old, or has a schema that this program cannot use.
 */
export function inspectPostgres({ url, listenUrl, noticeMs }: Inspected): Promise<Inspection> {
  return withConnections({ url, most: 2 }, async (connections) => {
    const facts = await connections.lend(async (connection) => {
      await refuseServer(connection, connections.place);
      const { sql } = connection;
      const found = await schemaOf(connection, connections.place);
      refuseSchema(found, readMigrations(), connections.place);
      const schema = { version: found.version, known: readMigrations().length };
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

/** Who copies the database just now is no standby. */
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

/** Its answer was made at some moment between question and answer: that of the quickest answer is the most exact. */
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
