import * as assert from 'uvu/assert';
import type { Claim } from '../../../src/store/calls.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { aNode, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';

const test = nodeTests('PostgreSQL: ids of claims that are given again');

const LANE = { route: 'apns_production', lane: 'standard', limit: 5_000, batchSize: 100 } as const;
/** More than a batch. */
const EVENTS = 150;

test('After a crash of the database what is settled of earlier claims takes none away that has got the id of one', async () => {
  const { node, before, after } = await crashed();
  await Promise.all([...before, ...after].map((claim) => settle(node, claim)));
  assert.equal((await node.calls.claimBatches(LANE)).claims, []);
  const counts = await node.store.connections.lend(({ sql }) =>
    sql.all<object, object>(`
      SELECT accepted, withdrawn, expired, count(*) AS events FROM event GROUP BY accepted, withdrawn, expired`)({}),
  );
  assert.equal(counts, [{ accepted: 1, withdrawn: 0, expired: 0, events: 2 * EVENTS }]);
});

test('After a crash of the database what is given back of earlier claims frees none that has got the id of one', async () => {
  const { node, before } = await crashed();
  for (const { claimId } of before) await node.calls.releaseBatch({ claimId });
  assert.equal((await node.calls.claimBatches(LANE)).claims, []);
});

test.run();

/**
 * The claims of a node are lost, with their ids. The node has claimed all of it again, and as much that has come since.
 */
async function crashed() {
  const node = await aNode({ url: await temporarySchema() });
  const { workspaceId } = await aWorkspace(node.calls, { devices: { ios: 1 } });
  const accept = () => Promise.all(Array.from({ length: EVENTS }, () => node.calls.acceptEvent(anEvent(workspaceId))));
  await accept();
  const { claims: before } = await node.calls.claimBatches(LANE);
  await node.execute(`
      DELETE FROM claim;
      UPDATE fan_out SET claimed_to = 0, is_open = true;
      SELECT setval('claim_id_seq', 1, false)`);
  await accept();
  const { claims: after } = await node.calls.claimBatches(LANE);
  assert.equal([before, after].map(targetsOf), [EVENTS, 2 * EVENTS]);
  return { node, before, after };
}

function targetsOf(claims: readonly Claim[]): number {
  return claims.reduce((sum, { targets }) => sum + targets.length, 0);
}

async function settle({ calls }: TestNode, { claimId, targets }: Claim): Promise<void> {
  const verdict = { state: 'accepted' } as const;
  const verdicts = targets.map((_, index) => ({ index, verdict, fitted: false, linksLost: false }));
  await calls.settleBatch({ claimId, verdicts });
}
