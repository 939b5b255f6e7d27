import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failoverFindings } from '../../src/host/doctor/cluster.ts';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { inspectPostgres } from '../../src/store/postgres/inspection.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Cluster } from '../support/postgres-cluster.ts';
import { aNode, type TestNode } from '../support/postgres-nodes.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { until, untilIs } from '../support/until.ts';
import { anEvent, aWorkspace } from '../support/workspace.ts';
import { AcceptLoad, isExact } from './accept-load.ts';
import { ownCluster, rowsOf, socketUrl } from './own-cluster.ts';

const failover = suite('a failover');

failover('To a synchronous standby nothing is lost that was acknowledged, and the nodes go on without a restart', () =>
  withStandby('sync', async ({ primary, standby, proxy, replication, nodes, workspaceId }) => {
    assert.is(await doctorSays(primary), 'ok');
    const load = new AcceptLoad(
      nodes.map(({ calls }) => calls),
      workspaceId,
    );
    await until('events are acknowledged', () => load.acknowledged.size > 500 || load.acknowledged.size);
    replication.freeze();
    await until('no more is acknowledged', () => isAtRest(() => load.acknowledged.size));
    await primary.stop();
    await takeOver(standby, proxy);
    const before = load.acknowledged.size;
    await until('events are acknowledged again', () => load.acknowledged.size > before + 500 || load.acknowledged.size);
    await load.stop();
    await isExact(load, { ...nodes[0].store, ...nodes[0], workspaceId });
    granted(await nodes[1].calls.createChannel({ workspace: 'acme', slug: 'news' }));
  }),
);

failover('The doctor warns that an asynchronous standby may lose acknowledged events', () =>
  withStandby('async', async ({ primary, standby, proxy, replication, nodes, workspaceId }) => {
    const [{ calls }] = nodes;
    const post = async (count: number) => {
      for (let n = 0; n < count; n += 1) assert.is((await calls.acceptEvent(anEvent(workspaceId))).kind, 'accepted');
    };
    await post(20);
    await untilIs('the standby has them', () => eventsIn(standby), 20);
    assert.is(await doctorSays(primary), 'warn');
    replication.freeze();
    await post(30);
    await primary.stop();
    await takeOver(standby, proxy);
    await until('events are accepted again', async () => {
      const answer = await calls.acceptEvent(anEvent(workspaceId)).catch(() => null);
      return answer?.kind === 'accepted';
    });
    const left = await eventsIn(standby);
    assert.ok(left > 20 && left < 50, `${left} events`);
    assert.is((await calls.readUsage({ workspaceId })).used, left, 'usage says what is there');
    const { claims } = await calls.claimBatches({
      route: 'apns_production',
      lane: 'standard',
      limit: 100,
      batchSize: 100,
    });
    assert.is(claims.flatMap(({ targets }) => targets).length, left, 'the queue has what is there');
  }),
);

failover(
  'Nodes that are led to a database that only reads answer what reads, and refuse the rest until it takes over',
  () =>
    withStandby('async', async ({ standby, proxy, nodes, workspaceId }) => {
      const [{ calls }] = nodes;
      await calls.acceptEvent(anEvent(workspaceId));
      await untilIs('the standby has it', () => eventsIn(standby), 1);
      proxy.leadTo(standby.folder);
      await until('it is reached', () => calls.listWorkspaces({}).then(({ length }) => length === 1, isUnavailable));
      for (const write of [
        () => calls.acceptEvent(anEvent(workspaceId)),
        () => calls.createChannel({ workspace: 'acme', slug: 'news' }),
        () => calls.claimBatches({ route: 'apns_production', lane: 'standard', limit: 1, batchSize: 1 }),
        () => calls.proveWritable({}),
      ]) {
        const error = await write().catch((thrown: unknown) => thrown);
        assert.instance(error, StoreUnavailable);
        assert.match((error as StoreUnavailable).reason, /read-only/);
      }
      await takeOver(standby, proxy);
      await until('it can be written', () => calls.proveWritable({}).then(() => true, isUnavailable));
      assert.is((await calls.acceptEvent(anEvent(workspaceId))).kind, 'accepted');
      granted(await calls.createChannel({ workspace: 'acme', slug: 'news' }));
    }),
);

failover.run();

interface WithStandby {
  readonly primary: Cluster;
  readonly standby: Cluster;
  /** The nodes' way to the database. */
  readonly proxy: DatabaseProxy;
  /** Between the standby and the primary. */
  readonly replication: DatabaseProxy;
  readonly nodes: readonly [TestNode, TestNode];
  readonly workspaceId: number;
}

/** Two nodes over a database with a standby. */
async function withStandby(kind: 'sync' | 'async', use: (with_: WithStandby) => Promise<void>): Promise<void> {
  await using opened = new Resources();
  const primary = await ownCluster(opened);
  const replication = opened.add(await startDatabaseProxy(primary.folder));
  const folder = join(temporaryFolder(), 'standby');
  mkdirSync(folder);
  const standby = await startStandby(primary, folder, 's1');
  opened.onEnd(() => standby.stop());
  await standby.stop();
  const { port } = new URL(replication.url());
  await standby.start({ primary_conninfo: `host=127.0.0.1 port=${port} user=postgres application_name=s1` });
  if (kind === 'sync') await alter(primary, "synchronous_standby_names = 's1'");
  await until(`the standby is ${kind}`, async () => {
    const [state] = await rowsOf(primary, "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'");
    return state?.sync_state === kind;
  });
  const proxy = opened.add(await startDatabaseProxy(primary.folder));
  const nodes = [
    await aNode({ url: proxy.url(), node: 'one' }),
    await aNode({ url: proxy.url(), node: 'two' }),
  ] as const;
  for (const { calls } of nodes) opened.add(calls);
  const { workspaceId } = await aWorkspace(nodes[0].calls, { devices: { ios: 1 } });
  await use({ primary, standby, proxy, replication, nodes, workspaceId });
}

/** The standby becomes the primary, alone, and the nodes are led there. */
async function takeOver(standby: Cluster, proxy: DatabaseProxy): Promise<void> {
  await alter(standby, "synchronous_standby_names = ''");
  await rowsOf(standby, 'SELECT pg_promote()');
  proxy.leadTo(standby.folder);
}

async function alter(cluster: Cluster, setting: string): Promise<void> {
  await rowsOf(cluster, `ALTER SYSTEM SET ${setting}`);
  await rowsOf(cluster, 'SELECT pg_reload_conf()');
}

async function eventsIn(cluster: Cluster): Promise<number> {
  const [row] = await rowsOf(cluster, 'SELECT count(*)::int AS events FROM event');
  return Number(row?.events);
}

async function doctorSays(cluster: Cluster): Promise<string | undefined> {
  const { durability } = await inspectPostgres({ url: socketUrl(cluster) });
  return failoverFindings(durability).find(({ check }) => check === 'failover')?.status;
}

/** Has not moved for a while. */
async function isAtRest(count: () => number): Promise<boolean> {
  const before = count();
  await pause(300);
  return count() === before;
}

function isUnavailable(error: unknown): false {
  if (!(error instanceof StoreUnavailable)) throw error;
  return false;
}
