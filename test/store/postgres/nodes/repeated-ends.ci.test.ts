import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoreClient } from '../../../../src/store/calls.ts';
import { BOB } from '../../../support/cast.ts';
import { concurrently } from '../../../support/concurrently.ts';
import { startDatabaseProxy } from '../../../support/database-proxy.ts';
import { clusterFolder } from '../../../support/postgres.ts';
import { aNode } from '../../../support/postgres-nodes.ts';
import { aSender, aSendingScene, somethingOut } from '../../../support/sending-scene.ts';
import { until } from '../../../support/until.ts';
import { userIdOf } from '../../../support/workspace.ts';

const repeated = suite('ends that are asked for again');
const test = concurrently(repeated);

type Change = (calls: StoreClient, ids: { readonly deviceId: string; readonly publicId: string }) => Promise<unknown>;

const CHANGES: Readonly<Record<string, Change>> = {
  'a device is removed': (calls, { deviceId: id }) => calls.removeDevice({ id }),
  'a device is unsubscribed': async (calls, { deviceId }) =>
    calls.unsubscribe({ userId: await userIdOf(calls, BOB), deviceId, workspace: 'acme', channel: 'alerts' }),
  'a workspace is suspended': (calls) => calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }),
  'a workspace is deleted': (calls) => calls.deleteWorkspace({ slug: 'acme' }),
  'a channel is deleted': (calls) => calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }),
  'a member is removed': (calls) => calls.removeMember({ workspace: 'acme', email: BOB }),
  'an event is cancelled': (calls, { publicId }) => calls.cancelEvent({ publicId }),
};

for (const [name, change] of Object.entries(CHANGES)) {
  test(`Asked again that ${name}, any node answers once the frozen one sends no more`, async () => {
    await using scene = await aSendingScene();
    const ids = await somethingOut(scene);
    const proxy = scene.opened.add(await startDatabaseProxy(await clusterFolder()));
    const options = new URL(scene.url).searchParams.get('options') ?? '';
    const frozen = await aSender(scene.opened, { url: proxy.url(options), node: 'frozen', leaseMs: 3_000 });
    const other = await aNode({ url: scene.url, node: 'other' });
    scene.opened.add({ close: () => other.store.close() });
    await frozen.claim();
    proxy.freeze();
    let isAnswered = false;
    const first = change(scene.changing.calls, ids).then(() => {
      isAnswered = true;
    });
    const revocations = () => scene.changing.value('SELECT count(*) FROM told_end');
    await until('it is there, or all was waited for', async () => isAnswered || ((await revocations()) ?? 0) > 0);
    await Promise.all(
      [scene.changing.calls, other.calls].map(async (calls) => {
        await change(calls, ids);
        assert.ok(frozen.store.lease.isOver, 'it may send no more');
      }),
    );
    await first;
  });
}

repeated.run();
