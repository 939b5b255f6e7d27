import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenClaim } from '../../src/delivery/open-claims.ts';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { clusterFolder } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { aSender, aSendingScene, type Sender, type SendingScene, somethingOut } from '../support/sending-scene.ts';
import { until } from '../support/until.ts';
import { tokenOf } from '../support/workspace.ts';

const ACCEPTED = { state: 'accepted' } as const;

test('A change waits for a node that is silent until that one trusts its lease no longer', async () => {
  await using scene = await aSendingScene();
  const { deviceId } = await somethingOut(scene);
  const { sender, proxy } = await farSender(scene, 2_000);
  const claim = await untilClaimed(sender);
  proxy.freeze();
  await scene.changing.calls.removeDevice({ id: deviceId });
  assert.ok(sender.store.lease.isOver);
  proxy.fix();
  await until('the node has joined again', () => !sender.store.lease.isOver);
  assert.equal([...claim.revoked], [1, 1]);
});

test('A change waits for a node whose connections are cut until it has recalled or trusts its lease no longer', async () => {
  await using scene = await aSendingScene();
  const { sender, proxy } = await farSender(scene, 5_000);
  for (const round of [1, 2, 3]) {
    const { deviceId } = await somethingOut(scene, round);
    const claim = await untilClaimed(sender);
    const place = claim.targets.findIndex(({ token }) => token === tokenOf(round));
    assert.ok(place >= 0);
    proxy.cut();
    const removed = scene.changing.calls.removeDevice({ id: deviceId });
    proxy.fix();
    await removed;
    assert.ok(claim.revoked[place] === 1 || sender.store.lease.isOver);
  }
});

test('While devices are removed at one node and two others claim and settle, none of them is sent anything after its removal', async () => {
  await using scene = await aSendingScene();
  const other = await aSender(scene.opened, { url: scene.url, node: 'other' });
  const { sent, wrong } = await removals(scene, [scene.sending, other], 30, async () => {});
  assert.equal(wrong, []);
  assert.ok(sent > 0);
});

test('Nor while the connections of the senders to the database are cut and silent, so that nodes count as dead', async () => {
  await using scene = await aSendingScene();
  const far = [await farSender(scene, 2_000, 'near'), await farSender(scene, 3_000, 'far')];
  const days = far.flatMap(({ proxy }) => [
    () => proxy.cut(),
    () => proxy.fix(),
    () => proxy.freeze(),
    () => proxy.fix(),
  ]);
  const { sent, wrong } = await removals(
    scene,
    far.map(({ sender }) => sender),
    16,
    async (round) => days[round % days.length]?.(),
  );
  assert.equal(wrong, []);
  assert.ok(sent > 0);
});

test.run();

/** One whose connection to the database can be cut. */
async function farSender(
  scene: SendingScene,
  leaseMs: number,
  node = 'far',
): Promise<{ readonly sender: Sender; readonly proxy: DatabaseProxy }> {
  const proxy = scene.opened.add(await startDatabaseProxy(await clusterFolder()));
  const options = new URL(scene.url).searchParams.get('options') ?? '';
  const url = proxy.url(options);
  const open = () => aSender(scene.opened, { url, node, leaseMs, answerMs: 2_000, connectMs: 1_000 });
  // A busy machine may be slower than that once.
  return { sender: await open().catch(open), proxy };
}

/** Removes devices while events for all of them go out. `wrong`: the tokens to which something was sent after that. */
async function removals(
  { changing, addDevice, accept }: SendingScene,
  senders: readonly Sender[],
  count: number,
  before: (round: number) => Promise<void>,
): Promise<{ readonly sent: number; readonly wrong: readonly string[] }> {
  const removed = new Set<string>();
  const wrong: string[] = [];
  const stop = new AbortController();
  let sent = 0;
  const send = (token: string) => {
    sent += 1;
    if (removed.has(token)) wrong.push(token);
  };
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await addDevice({ token: tokenOf(n) }));
  const sendings = senders.map((sender) => untilStopped(sender, send, stop.signal));
  for (const [n, id] of ids.entries()) {
    await before(n);
    await Promise.all([accept(), accept(), accept()]);
    granted(await changing.calls.removeDevice({ id }));
    removed.add(tokenOf(n));
  }
  stop.abort();
  await Promise.all(sendings);
  return { sent, wrong };
}

/** Sends as a delivery thread does: whatever is neither recalled nor beyond the lease at that moment. */
async function untilStopped(
  { store, calls, openClaims, claim }: Sender,
  send: (token: string) => void,
  stopped: AbortSignal,
): Promise<void> {
  while (!stopped.aborted) {
    for (const out of await claim().catch(ignoreUnavailable)) {
      const { claimId, targets, revoked } = out;
      for (const [place, { token }] of targets.entries()) {
        await new Promise((resolve) => setImmediate(resolve));
        if (revoked[place] === 0 && !store.lease.isOver) send(token);
      }
      const verdicts = targets.map((_, index) => ({ index, verdict: ACCEPTED, fitted: false, linksLost: false }));
      await calls.settleBatch({ claimId, verdicts }).catch(ignoreUnavailable);
      openClaims.close(out);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Connections that have just been cut may still be tried. */
async function untilClaimed({ claim }: Sender): Promise<OpenClaim> {
  const claims: OpenClaim[] = [];
  await until('something is claimed', async () => {
    claims.push(...(await claim().catch(ignoreUnavailable)));
    return claims.length > 0;
  });
  return claims[0] as OpenClaim;
}

function ignoreUnavailable(error: unknown): readonly never[] {
  if (error instanceof StoreUnavailable) return [];
  throw error;
}
