import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { CLUSTER_FOLDER } from './cluster-folder.ts';
import { temporaryFolder } from './folder.ts';
import { startCluster } from './postgres-cluster.ts';

let folder: Promise<string> | undefined;

/** That of the run; of a file that is run by itself, its own. */
export async function clusterFolder(): Promise<string> {
  folder ??= process.env[CLUSTER_FOLDER] === undefined ? ownCluster() : Promise.resolve(process.env[CLUSTER_FOLDER]);
  return folder;
}

/** An empty schema of one test's own: the URL of the database, with the schema as all that it sees. */
export async function temporarySchema(): Promise<string> {
  const of = await clusterFolder();
  schemas += 1;
  const name = `test_${process.pid}_${schemas}`;
  const client = new pg.Client({ connectionString: urlOf(of) });
  await client.connect();
  await client.query(`CREATE SCHEMA ${name}`);
  await client.end();
  return urlOf(of, `-c search_path=${name}`);
}

let schemas = 0;

function urlOf(of: string, options?: string): string {
  const query = new URLSearchParams({ host: of, ...(options !== undefined && { options }) });
  return `postgres://postgres@localhost/postgres?${query}`;
}

async function ownCluster(): Promise<string> {
  const own = join(temporaryFolder(), 'postgres');
  mkdirSync(own);
  return (await startCluster(own)).folder;
}
