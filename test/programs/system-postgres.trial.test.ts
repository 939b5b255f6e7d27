import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { startCluster } from '../support/postgres-cluster.ts';
import { nodesOver, type TestNode } from '../support/postgres-nodes.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { anEvent, aWorkspace } from '../support/workspace.ts';

const INSTALLED = '/usr/lib/postgresql';

const test = suite("the system's PostgreSQL");
const whereInstalled = skipWhere(newestPrograms() === null ? `no programs below ${INSTALLED}` : null, test);

/** Queries of a node, idle or not, except those with parameters of their own. */
const QUESTIONS = [
  'read_news(1, 0)',
  'work_waits(NULL)',
  "beat_node(1, 'here', '{}', true, 0, NULL)",
  'nodes_behind(0)',
];

whereInstalled('Nothing of a node is compiled before it is carried out, nor would be if that was left on', async () => {
  await using opened = new Resources();
  const folder = temporaryFolder();
  const settings = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'all' };
  const cluster = await startCluster(folder, settings, newestPrograms() ?? '');
  opened.onEnd(cluster.stop);
  const url = `postgres://postgres@localhost/postgres?${new URLSearchParams({ host: cluster.folder })}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  opened.onEnd(() => client.end());
  const value = async (text: string) => Object.values((await client.query(text)).rows[0])[0];
  assert.ok(await value('SELECT pg_jit_available()'));
  await client.query('CREATE SCHEMA extras; CREATE EXTENSION pg_stat_statements SCHEMA extras');

  const [node] = (await nodesOver(url, 1)) as [TestNode];
  opened.add(node.store);
  const { workspaceId } = await aWorkspace(node.calls, { devices: { ios: 2 } });
  await Promise.all(Array.from({ length: 300 }, () => node.calls.acceptEvent(anEvent(workspaceId))));
  await node.calls.claimBatches({ route: 'apns_production', lane: 'standard', limit: 100, batchSize: 100 });
  await node.calls.listEvents({ workspace: 'acme', limit: 100 });
  await node.calls.queueDepth({});
  assert.is(Number(await value('SELECT sum(jit_functions) FROM extras.pg_stat_statements')), 0);

  assert.is(await value('SHOW jit'), 'on');
  for (const question of QUESTIONS) await client.query(`SELECT * FROM ${question}`);
  assert.is(Number(await value('SELECT sum(jit_functions) FROM extras.pg_stat_statements')), 0);
});

test.run();

function newestPrograms(): string | null {
  if (!existsSync(INSTALLED)) return null;
  const versions = readdirSync(INSTALLED).toSorted((a, b) => Number(b) - Number(a));
  const folders = versions.map((version) => join(INSTALLED, version, 'bin'));
  return folders.find((bin) => existsSync(join(bin, 'postgres'))) ?? null;
}
