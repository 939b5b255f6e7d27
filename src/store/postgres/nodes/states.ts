import type { SchemaVersion } from '../../schema/version.ts';
import type { Sql } from '../../sql.ts';
import { schemaOf } from '../migrations.ts';
import { refuseServer, withConnections } from '../opening.ts';
import { NOW_MS } from '../sql.ts';

/** A process that serves the store. */
export interface NodeState {
  readonly id: number;
  readonly name: string;
  readonly version: string;
  /** Where it listens; null: it does not yet. */
  readonly address: string | null;
  readonly startedAtMs: number;
  /** Until the others take it for dead. */
  readonly leaseLeftMs: number;
  /** Since its last sign of life. */
  readonly silentMs: number;
  /** Whether notices reach it; null: it has only just started, and does not know yet. */
  readonly hears: boolean | null;
  /** By how much its clock was ahead of the database's at its last sign of life. */
  readonly clockAheadMs: number;
  /** What it reports of itself. */
  readonly health: Readonly<Record<string, unknown>>;
}

const NODES = `
  SELECT id, name, version, address, started_at AS "startedAtMs", "leaseLeftMs", lease_ms - "leaseLeftMs" AS "silentMs",
    CASE WHEN hears OR now_ms - started_at > :settledMs THEN hears END AS hears, clock_off_ms AS "clockAheadMs",
    health::json AS health
  FROM (SELECT *, lease_end - now_ms AS "leaseLeftMs" FROM node, (SELECT ${NOW_MS} AS now_ms) AS clock) AS node
  ORDER BY name, id`;

/** By then a node knows whether notices reach it. */
const SETTLED_MS = 15_000;

/** Those of a store, by name. Throws an `OperatorProblem` where its database cannot be reached, or is none of ours. */
export function listNodes(url: string): Promise<readonly NodeState[]> {
  return withConnections({ url, most: 1 }, ({ lend, place }) =>
    lend(async (connection) => {
      await refuseServer(connection, place);
      return nodesIn(connection.sql, await schemaOf(connection, place));
    }),
  );
}

/** Over a connection. */
export async function nodesIn(sql: Sql, { version }: SchemaVersion): Promise<readonly NodeState[]> {
  return version === 0 ? [] : sql.all<object, NodeState>(NODES)({ settledMs: SETTLED_MS });
}
