import pg from 'pg';
import { packageVersion } from '../../package.ts';
import type { Connections } from './connections.ts';
import { NOW_MS } from './moment.ts';

/** What no single node has done, such as commands without a server. */
export const NO_NODE = 0;

/** This process as one of those that serve the store. */
export interface Membership {
  /** Never given again; another one after the node was taken for dead. */
  readonly node: number;
  /** The others took this node for dead, and have what it had out: it begins as a new one. */
  joinAnew(): Promise<void>;
  /** What it has out is free for the others at once. */
  leave(): Promise<void>;
}

const BEAT_MS = 2_000;
/** A node that has not renewed it for so long is taken for dead. */
export const LEASE_MS = 10_000;

const JOIN = `
  INSERT INTO node (name, version, started_at, lease_end)
  SELECT CAST(:name AS TEXT), CAST(:version AS TEXT), now_ms, now_ms + :leaseMs FROM (SELECT ${NOW_MS} AS now_ms) AS clock`;

/** Makes this process a node with a lease, which it renews, and buries those whose lease is over. */
export async function joinAs(connections: Connections, name: string, leaseMs = LEASE_MS): Promise<Membership> {
  let node = await join();
  let beating: Promise<unknown> = Promise.resolve();

  async function join(): Promise<number> {
    return connections.lend(({ sql }) => sql.insert<object>(JOIN)({ name, version: packageVersion(), leaseMs }));
  }

  /** One that fails is made up for by the next; after some of them the others take over. */
  async function beat(): Promise<void> {
    await connections
      .lend(({ ask }) => ask({ text: 'SELECT beat_node($1, $2)', values: [node, leaseMs] }))
      .catch(() => {});
  }

  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, BEAT_MS).unref();

  return {
    get node() {
      return node;
    },
    async joinAnew() {
      node = await join();
    },
    async leave() {
      clearInterval(timer);
      await beating;
      await connections.lend(({ ask }) => ask({ text: 'SELECT bury_node($1)', values: [node] })).catch(() => {});
    },
  };
}

/** The others took this node for dead: nothing was claimed. */
export function isBuried(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === 'PU001';
}
