import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { concurrently } from '../../../support/concurrently.ts';
import { startDatabaseProxy } from '../../../support/database-proxy.ts';
import { clusterFolder } from '../../../support/postgres.ts';
import { aNode } from '../../../support/postgres-nodes.ts';
import { aSender, aSendingScene, ENDS, somethingOut } from '../../../support/sending-scene.ts';
import { until } from '../../../support/until.ts';

const repeated = suite('ends that are asked for again');
const test = concurrently(repeated);

for (const [name, [change]] of Object.entries(ENDS)) {
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
    const revocations = () => scene.changing.value('SELECT count(*) FROM revocation');
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
