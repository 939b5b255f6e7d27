import * as assert from 'uvu/assert';
import { aCluster, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';

const test = nodeTests('links of resent events');

for (const isHomeAlive of [true, false]) {
  const by = isHomeAlive ? 'the machine that holds its links' : 'any machine where that one is gone';
  test(`A resent push is sent by ${by}`, async () => {
    const { nodes, post } = await aCluster(2, { devices: { ios: 1, android: 1 } });
    const [home, other] = nodes;
    const publicId = await post({ hadLinks: true });
    await settleAsFailed(home);
    if (!isHomeAlive) await home.calls.close();
    granted(await other.calls.resendEvent({ publicId }));
    assert.is((await claimed(other)).length, isHomeAlive ? 0 : 1);
    if (isHomeAlive) assert.is((await claimed(home)).length, 1);
  });
}

test.run();

/** Claims iOS only: pushes to Android still wait. */
async function claimed({ calls }: TestNode) {
  return (await calls.claimBatches({ route: 'apns_production', lane: 'standard', limit: 10, batchSize: 10 })).claims;
}

async function settleAsFailed(node: TestNode): Promise<void> {
  const verdict = { state: 'failed', reason: 'BadTopic' } as const;
  for (const { claimId } of await claimed(node)) {
    await node.calls.settleBatch({ claimId, verdicts: [{ index: 0, verdict, fitted: false, linksLost: false }] });
  }
}
