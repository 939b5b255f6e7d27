import type { SchemaVersion } from '../../schema/version.ts';
import type { Sql } from '../../sql.ts';
import { schemaOf } from '../migrations.ts';
import { refuseServer, withConnections } from '../opening.ts';
import { NOW_MS } from '../sql.ts';

export interface NodeState {
  readonly id: number;
  readonly name: string;
  readonly version: string;
  /** Its listening address; null: none yet. */
  readonly address: string | null;
  readonly startedAtMs: number;
  /** The time until the other nodes evict it. */
  readonly leaseLeftMs: number;
  /** The time since its last heartbeat. */
  readonly silentMs: number;
  /** Whether notices reach it; null: just started, unknown. */
  readonly hears: boolean | null;
  /** Its clock's lead over the database's at the last heartbeat. */
  readonly clockAheadMs: number;
  /** Its latest report. */
  readonly health: Readonly<Record<string, unknown>>;
}

const NODES = `
  SELECT id, name, version, address, started_at AS "startedAtMs", "leaseLeftMs", lease_ms - "leaseLeftMs" AS "silentMs",
    CASE WHEN hears OR now_ms - started_at > :settledMs THEN hears END AS hears, clock_off_ms AS "clockAheadMs",
    health::json AS health
  FROM (SELECT *, lease_end - now_ms AS "leaseLeftMs" FROM node, (SELECT ${NOW_MS} AS now_ms) AS clock) AS node
  ORDER BY name, id`;

/** The time after which a node knows whether notices reach it. */
const SETTLED_MS = 15_000;

/** Lists a store's nodes by name. Throws an `OperatorProblem` if the database is unreachable or foreign. */
export function listNodes(url: string): Promise<readonly NodeState[]> {
  return withConnections({ url, most: 1 }, ({ lend, place }) =>
    lend(async (connection) => {
      await refuseServer(connection, place);
      return nodesIn(connection.sql, await schemaOf(connection, place));
    }),
  );
}

export async function nodesIn(sql: Sql, { version }: SchemaVersion): Promise<readonly NodeState[]> {
  return version === 0 ? [] : sql.all<object, NodeState>(NODES)({ settledMs: SETTLED_MS });
}
