import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { temporaryFolder } from '../support/folder.ts';
import { type Cluster, type Settings, startCluster } from '../support/postgres-cluster.ts';
import type { Resources } from '../support/resources.ts';

/** Settings by which an acknowledged commit survives the failure of a machine, as every operator has them. */
export const DURABLE: Settings = { fsync: 'on', full_page_writes: 'on' };

/** A PostgreSQL that one test alone has, and may stop. */
export async function ownCluster(opened: Resources, settings: Settings = {}): Promise<Cluster> {
  const folder = join(temporaryFolder(), 'postgres');
  mkdirSync(folder);
  const cluster = await startCluster(folder, { ...DURABLE, ...settings });
  opened.onEnd(() => cluster.stop());
  return cluster;
}

/** The URL of a cluster's database by its socket. `options`: of the connection. */
export function socketUrl({ folder }: Pick<Cluster, 'folder'>, options?: string): string {
  const query = new URLSearchParams({ host: folder, ...(options !== undefined && { options }) });
  return `postgres://postgres@localhost/postgres?${query}`;
}

/** Runs a statement over a connection of its own. */
export async function rowsOf(
  cluster: Pick<Cluster, 'folder'>,
  statement: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: socketUrl(cluster) });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
