import * as assert from 'uvu/assert';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { nodesOver, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { untilIs } from '../../support/until.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';

const test = nodeTests('PostgreSQL: fan-outs that a node works on');
const PAGE = 10;
const LANE = { route: 'apns_production', lane: 'standard', batchSize: PAGE, limit: PAGE } as const;
/** Its last page is a full one, or not. */
const PAGES = 8;

for (const devices of [PAGE * PAGES, PAGE * PAGES - 3]) {
  test(`only the lease of an event for ${devices} devices goes into the indexes, none of its ${PAGES} pages`, async () => {
    const url = await temporarySchema();
    const [node] = (await nodesOver(url, 1)) as [TestNode];
    const { workspaceId } = await aWorkspace(node.calls, { devices: { ios: devices } });
    await node.calls.acceptEvent(anEvent(workspaceId));
    let claimed = 0;
    for (;;) {
      const { claims } = await node.calls.claimBatches(LANE);
      if (claims.length === 0) break;
      for (const { claimId, targets } of claims) {
        claimed += targets.length;
        const settled = { verdict: { state: 'accepted' }, fitted: false, linksLost: false } as const;
        await node.calls.settleBatch({ claimId, verdicts: targets.map((_, index) => ({ index, ...settled })) });
      }
    }
    assert.is(claimed, devices);
    // A connection reports at its end what it has changed.
    await node.store.close();

    const connections = connectionsTo({ url });
    const counted = () =>
      connections.lend(({ sql }) =>
        sql.get<object, { entered: number; deleted: number }>(`
          SELECT n_tup_upd - n_tup_hot_upd AS entered, n_tup_del AS deleted FROM pg_stat_user_tables
          WHERE schemaname = current_schema() AND relname = 'fan_out'
        `)({}),
      );
    await untilIs('its end is counted', async () => (await counted())?.deleted, 1);
    assert.is((await counted())?.entered, 1);
    await connections.close();
  });
}

test.run();
