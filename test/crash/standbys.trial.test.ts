import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failoverFindings } from '../../src/host/doctor/cluster.ts';
import { postgresFindings } from '../../src/host/doctor/postgres.ts';
import { inspectPostgres } from '../../src/store/postgres/inspection.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { untilIs } from '../support/until.ts';
import { rowsOf } from './own-cluster.ts';

let primary: Cluster;

test.before(async () => {
  primary = await startCluster(newFolder('primary'), { fsync: 'on', full_page_writes: 'on' });
});
test.after(() => primary.stop());

test('Whether a failover can lose something is reported as it is: alone, asynchronous, synchronous, and gone', async () => {
  assert.match(await failover(), /^warn: there is no standby/);
  const folder = newFolder('standby');
  const standby = await startStandby(primary, folder, 's1');
  await untilIs('the standby follows', () => standbysOf(primary), 's1 async');
  assert.match(await failover(), /^warn: can lose events .*no standby is synchronous \(s1 \(async\)\)/);

  await rowsOf(primary, "ALTER SYSTEM SET synchronous_standby_names = 's1'");
  await rowsOf(primary, 'SELECT pg_reload_conf()');
  await untilIs('commits wait for the standby', () => standbysOf(primary), 's1 sync');
  assert.is(await failover(), 'ok: loses nothing: each commit waits for s1 (sync)');

  const { onlyReads, ...rest } = await inspectPostgres({ url: urlOf(standby) });
  assert.ok(onlyReads);
  const [database] = postgresFindings({ ...rest, onlyReads });
  assert.match(database?.message ?? '', 'it is a standby');

  await standby.stop();
  await untilIs('the standby is gone', () => standbysOf(primary), '');
  assert.match(await failover(), /^fail: commits wait for a standby .*\(s1\), and none is connected/);
});

test('A user who may not look at standbys learns which right is missing', async () => {
  await rowsOf(primary, "ALTER SYSTEM SET synchronous_standby_names = 's2'");
  await rowsOf(primary, 'SELECT pg_reload_conf()');
  const standby = await startStandby(primary, newFolder('second'), 's2');
  await untilIs('the standby follows', () => standbysOf(primary), 's2 sync');
  await rowsOf(primary, 'CREATE ROLE plain LOGIN');
  const { durability } = await inspectPostgres({ url: urlOf(primary, 'plain') });
  const [, found] = failoverFindings(durability);
  assert.equal([found?.status, found?.advice], ['warn', 'GRANT pg_read_all_stats to the user in [store] url']);
  await rowsOf(primary, 'GRANT pg_read_all_stats TO plain');
  const [, seen] = failoverFindings((await inspectPostgres({ url: urlOf(primary, 'plain') })).durability);
  assert.is(seen?.status, 'ok');
  await standby.stop();
});

test.run();

function newFolder(name: string): string {
  const folder = join(temporaryFolder(), name);
  mkdirSync(folder);
  return folder;
}

function urlOf({ folder }: Cluster, user = 'postgres'): string {
  return `postgres://${user}@localhost/postgres?host=${folder}`;
}

async function standbysOf(cluster: Cluster): Promise<string> {
  const rows = await rowsOf(
    cluster,
    "SELECT application_name || ' ' || sync_state AS it FROM pg_stat_replication WHERE state = 'streaming'",
  );
  return rows.map(({ it }) => it).join(', ');
}

/** Returns the doctor's words on it. */
async function failover(): Promise<string> {
  const [, found] = failoverFindings((await inspectPostgres({ url: urlOf(primary) })).durability);
  return `${found?.status}: ${found?.message}`;
}
