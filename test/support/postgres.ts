import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
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
  // Process ids come round again in a long run, where all files share one database.
  const name = `test_${randomBytes(8).toString('hex')}`;
  await query(`CREATE SCHEMA ${name}`);
  return seeing(name);
}

/** Names of what has been given back. */
const MAKE_FREE = `
  SELECT pg_advisory_xact_lock(hashtext('free_schema'));
  CREATE TABLE IF NOT EXISTS public.free_schema (name TEXT)`;

/**
 * Returns a schema for a test that asks the store by calls alone: one that another file has given back, else an empty
 * one. A new schema takes ten times as long.
 */
export async function borrowedSchema(): Promise<string> {
  const [taken] = await query(`${MAKE_FREE};
    DELETE FROM public.free_schema WHERE name = (SELECT name FROM public.free_schema LIMIT 1) RETURNING name`);
  return taken?.name === undefined ? temporarySchema() : seeing(taken.name);
}

/** Gives it to another file. It is empty. */
export async function giveBack(url: string): Promise<void> {
  await query(`${MAKE_FREE}; INSERT INTO public.free_schema (name) VALUES ('${schemaIn(url)}')`);
}

/** Empties the schema, to what its migrations have put there, for the next test. */
export async function empty(url: string): Promise<void> {
  await query(`SET LOCAL search_path = ${schemaIn(url)}; ${EMPTY}`);
}

/** Deleted rows still take their place, so a larger table is replaced, which takes longer. */
const LARGE_BYTES = 262_144;

/** Without triggers, which would note what is deleted. Nothing that migrations have filled refers to another table. */
const EMPTY = `
  SET LOCAL session_replication_role = replica;
  DO $$ DECLARE its RECORD; BEGIN
    FOR its IN SELECT oid, relname AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::text::regnamespace
    LOOP
      IF its.name = 'plan' THEN
        DELETE FROM plan WHERE plan.name <> 'unlimited';
        UPDATE plan SET monthly_events = NULL WHERE monthly_events IS NOT NULL;
      ELSIF its.name <> 'pushctl_schema' AND pg_relation_size(its.oid) > ${LARGE_BYTES} THEN
        EXECUTE format('TRUNCATE %I CASCADE', its.name);
      ELSIF its.name <> 'pushctl_schema' THEN
        EXECUTE format('DELETE FROM %I', its.name);
      END IF;
    END LOOP;
  END $$;
  SELECT setval(oid, 1, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = current_schema()::text::regnamespace`;

/** `ref` and `unref`: as of a socket; the types of pg lack them. */
type OwnClient = pg.Client & { ref(): void; unref(): void };

let connected: Promise<OwnClient> | undefined;
const inTurn = pLimit(1);

/** All statements in one transaction. Answers the rows of the last. */
function query(sql: string): Promise<readonly Readonly<Record<string, string>>[]> {
  return inTurn(async () => {
    connected ??= connect();
    const client = await connected;
    client.ref();
    try {
      const results: pg.QueryResult | pg.QueryResult[] = await client.query(sql);
      return [results].flat().at(-1)?.rows ?? [];
    } finally {
      // So that it keeps no process from ending.
      if (inTurn.pendingCount === 0) client.unref();
    }
  });
}

/** One connection for all: to make one takes longer than what it is asked. */
async function connect(): Promise<OwnClient> {
  const client = new pg.Client({ connectionString: urlOf(await clusterFolder()) }) as OwnClient;
  // Some tests end all connections.
  client.on('error', () => {
    connected = undefined;
  });
  await client.connect();
  return client;
}

const SEES = '-c search_path=';

function schemaIn(url: string): string {
  return (new URL(url).searchParams.get('options') ?? '').replace(SEES, '');
}

async function seeing(schema: string): Promise<string> {
  return urlOf(await clusterFolder(), `${SEES}${schema}`);
}

function urlOf(of: string, options?: string): string {
  const query = new URLSearchParams({ host: of, ...(options !== undefined && { options }) });
  return `postgres://postgres@localhost/postgres?${query}`;
}

async function ownCluster(): Promise<string> {
  const own = join(temporaryFolder(), 'postgres');
  mkdirSync(own);
  return (await startCluster(own)).folder;
}
