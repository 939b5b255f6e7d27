import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Opened } from '../../support/opened.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { nodesOver, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';

const test = suite('links of events that are sent anew');

for (const isHomeAlive of [true, false]) {
  const by = isHomeAlive ? 'the machine that holds its links' : 'any machine where that one is gone';
  test(`A push that is sent anew is sent by ${by}`, async () => {
    await using opened = new Opened();
    const [home, other] = (await nodesOver(await temporarySchema(), 2)) as [TestNode, TestNode];
    opened.add(other.calls);
    if (isHomeAlive) opened.add(home.calls);
    const { workspaceId } = await aWorkspace(home.calls, { devices: { ios: 1, android: 1 } });
    const accepted = await home.calls.acceptEvent(anEvent(workspaceId, { hadLinks: true }));
    assert.is(accepted.kind, 'accepted');
    await settleAsFailed(home);
    if (!isHomeAlive) await home.calls.close();
    if (accepted.kind === 'accepted') granted(await other.calls.resendEvent({ publicId: accepted.event.public_id }));
    assert.is((await claimed(other)).length, isHomeAlive ? 0 : 1);
    if (isHomeAlive) assert.is((await claimed(home)).length, 1);
  });
}

test.run();

/** Of iOS: what goes to Android still waits. */
async function claimed({ calls }: TestNode) {
  return (await calls.claimBatches({ route: 'apns_production', lane: 'standard', limit: 10, batchSize: 10 })).claims;
}

async function settleAsFailed(node: TestNode): Promise<void> {
  const verdict = { state: 'failed', reason: 'BadTopic' } as const;
  for (const { claimId } of await claimed(node)) {
    await node.calls.settleBatch({ claimId, verdicts: [{ index: 0, verdict, fitted: false, linksLost: false }] });
  }
}
