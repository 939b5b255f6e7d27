import { chmodSync, chownSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { fill, withSmallDisk } from '../support/disk.ts';
import type { Cluster } from '../support/postgres-cluster.ts';
import { aNode, type TestNode } from '../support/postgres-nodes.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { until } from '../support/until.ts';
import { anEvent, aWorkspace } from '../support/workspace.ts';
import { AcceptLoad, isExact } from './accept-load.ts';
import { ownCluster, rowsOf, socketUrl } from './own-cluster.ts';

const database = suite('a PostgreSQL that fails under load');

database(
  'Stopped hard three times, it has all that was acknowledged, and the nodes go on without a restart',
  async () => {
    await using opened = new Resources();
    const cluster = await ownCluster(opened);
    const { nodes, workspaceId } = await twoNodes(opened, cluster);
    const load = new AcceptLoad(
      nodes.map(({ calls }) => calls),
      workspaceId,
    );
    for (let round = 1; round <= 3; round += 1) {
      const before = load.acknowledged.size;
      await until('events are acknowledged', () => load.acknowledged.size > before + 200 || load.acknowledged.size);
      const { refused } = load;
      await cluster.stop();
      await until('events are refused', () => load.refused > refused || load.refused);
      await cluster.start();
    }
    const before = load.acknowledged.size;
    await until('events are acknowledged again', () => load.acknowledged.size > before || load.acknowledged.size);
    await load.stop();
    await isExact(load, { ...nodes[0].store, ...nodes[0], workspaceId });
    granted(await nodes[1].calls.createChannel({ workspace: 'acme', slug: 'news' }));
  },
);

database('On a full disk nothing is acknowledged that is not stored, and once there is room everything works', () =>
  withSmallDisk(64 * 1024, async (disk) => {
    await using opened = new Resources();
    const cluster = await ownCluster(opened);
    const { uid, gid } = statSync(cluster.data);
    chownSync(disk, uid, gid);
    chmodSync(disk, 0o700);
    const { nodes, workspaceId } = await twoNodes(opened, cluster, disk);
    const { calls, store } = nodes[0];
    const posted = { acknowledged: new Map<string, string>() };
    const post = async (idempotencyKey: string) => {
      const event = anEvent(workspaceId, { idempotencyKey, description: 'x'.repeat(4_000) });
      const answer = await calls.acceptEvent(event).catch((error: unknown) => error as StoreUnavailable);
      if ('event' in answer) posted.acknowledged.set(idempotencyKey, answer.event.public_id);
      return answer;
    };
    await post('before');
    fill(join(disk, 'ballast'));
    let refusal: unknown;
    for (let n = 0; n < 2_000 && refusal === undefined; n += 1) {
      const answer = await post(`key-${n}`);
      if (answer instanceof Error) refusal = answer;
    }
    assert.instance(refusal, StoreUnavailable);
    assert.match((refusal as StoreUnavailable).reason, /No space left on device/);
    assert.is((await calls.listWorkspaces({})).length, 1, 'what only reads is answered');
    const proof = await calls.proveWritable({}).catch((error: unknown) => error);
    assert.instance(proof, StoreUnavailable, 'the server is not ready');
    rmSync(join(disk, 'ballast'));
    assert.ok('event' in (await post('after')));
    assert.is(await calls.proveWritable({}), null);
    await isExact(posted, { ...store, calls, workspaceId });
  }),
);

database.run();

/** `folder`: where all tables are, instead of the cluster's own. */
async function twoNodes(
  opened: Resources,
  cluster: Cluster,
  folder?: string,
): Promise<{ readonly nodes: readonly [TestNode, TestNode]; readonly workspaceId: number }> {
  if (folder !== undefined) await rowsOf(cluster, `CREATE TABLESPACE small LOCATION '${folder}'`);
  const url = socketUrl(cluster, folder === undefined ? undefined : '-c default_tablespace=small');
  const nodes = [await aNode({ url, node: 'one' }), await aNode({ url, node: 'two' })] as const;
  for (const { calls } of nodes) opened.add(calls);
  const { workspaceId } = await aWorkspace(nodes[0].calls, { devices: { ios: 1 } });
  return { nodes, workspaceId };
}
