import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DatabaseWay, wayToDatabase } from '../support/database-way.ts';
import { clusterFolder } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { aSender, aSendingScene, type Sender, type SendingScene, somethingOut } from '../support/sending-scene.ts';
import { until } from '../support/until.ts';
import { tokenOf } from '../support/workspace.ts';

const test = suite('ends on bad days');
const ACCEPTED = { state: 'accepted' } as const;

test('A change waits for a node that is silent until that one trusts its lease no longer', async () => {
  await using scene = await aSendingScene();
  const { deviceId } = await somethingOut(scene);
  const { sender, way } = await farSender(scene, 2_000);
  const [claim] = await sender.claim();
  way.freeze();
  assert.not(sender.store.lease.isOver);
  await scene.changing.calls.removeDevice({ id: deviceId });
  assert.ok(sender.store.lease.isOver);
  way.mend();
  await until('the node has joined anew', () => !sender.store.lease.isOver);
  assert.equal([...(claim?.recalls ?? [])], [1, 1]);
});

test('A change waits for a node whose connections are cut until it has recalled or trusts its lease no longer', async () => {
  await using scene = await aSendingScene();
  const { sender, way } = await farSender(scene, 5_000);
  for (const round of [1, 2, 3]) {
    const { deviceId } = await somethingOut(scene, round);
    const [claim] = await sender.claim();
    const place = claim?.targets.findIndex(({ token }) => token === tokenOf(round)) ?? -1;
    assert.ok(place >= 0);
    way.cut();
    const removed = scene.changing.calls.removeDevice({ id: deviceId });
    way.mend();
    await removed;
    assert.ok(claim?.recalls[place] === 1 || sender.store.lease.isOver);
  }
});

test('While devices are removed at one node and two others claim and settle, none of them is sent anything after its removal', async () => {
  await using scene = await aSendingScene();
  const { changing, sending, opened, url } = scene;
  const devices = new Map<number, string>();
  for (let n = 1; n <= 30; n += 1) devices.set(n, await scene.addDevice({ token: tokenOf(n) }));
  const other = await aSender(opened, { url, node: 'other' });
  const removed = new Set<string>();
  const wrong: string[] = [];
  let sent = 0;
  let isOver = false;
  const send = async (sender: Sender) => {
    while (!isOver) {
      for (const claim of await sender.claim()) {
        for (const [place, { token }] of claim.targets.entries()) {
          if (claim.recalls[place] === 1 || sender.store.lease.isOver) continue;
          sent += 1;
          if (removed.has(token)) wrong.push(token);
          if (place % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        const verdicts = claim.targets.map((_, index) => ({
          index,
          verdict: ACCEPTED,
          fitted: false,
          linksLost: false,
        }));
        await sender.calls.settleBatch({ claimId: claim.claimId, verdicts });
        sender.openClaims.close(claim);
      }
    }
  };
  const sendings = [sending, other].map(send);
  for (const [n, id] of devices) {
    await Promise.all([scene.accept(), scene.accept(), scene.accept()]);
    granted(await changing.calls.removeDevice({ id }));
    removed.add(tokenOf(n));
  }
  isOver = true;
  await Promise.all(sendings);
  assert.equal(wrong, []);
  assert.ok(sent > 0);
});

test.run();

/** One whose way to the database can be cut. */
async function farSender(
  scene: SendingScene,
  leaseMs: number,
): Promise<{ readonly sender: Sender; readonly way: DatabaseWay }> {
  const way = scene.opened.add(await wayToDatabase(await clusterFolder()));
  const options = new URL(scene.url).searchParams.get('options') ?? '';
  return { sender: await aSender(scene.opened, { url: way.url(options), node: 'far', leaseMs }), way };
}
