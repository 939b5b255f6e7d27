import * as assert from 'uvu/assert';
import type { Sql } from '../../../src/store/sql.ts';
import { aCluster, nodeTests } from '../../support/postgres-nodes.ts';
import { until } from '../../support/until.ts';

const test = nodeTests('PostgreSQL: the last pages of a fan-out');

const LANE = { route: 'apns_production', lane: 'standard' } as const;

const CLAIMS = 'ARRAY(SELECT id FROM claim WHERE node_id = :node)';

/** Settles pages like a node, once they were sent. */
const SETTLE = `
  SELECT count(*) FROM settle_claims((
    SELECT json_agg(json_build_object('event_id', c.event_id, 'claim_id', c.id, 'is_page', true, 'workspace_id', c.workspace_id,
      'channel_id', f.channel_id, 'route', c.route, 'lane', c.lane, 'home', 0, 'state', 'accepted', 'spent', 1, 'fitted', false,
      'links_lost', false, 'device_ids', ARRAY(
        SELECT device_id FROM subscription WHERE channel_id = f.channel_id AND number > from_number AND number <= to_number
      )))
    FROM claim AS c JOIN fan_out AS f ON f.event_id = c.event_id AND f.route = c.route WHERE node_id = :node
  ), NULL, ${CLAIMS}, :node, NULL, NULL)`;

/** Settles pages like a node if all of their devices have gone meanwhile. */
const SETTLE_NOTHING = `SELECT count(*) FROM settle_claims('[]', NULL, ${CLAIMS}, :node, NULL, NULL)`;

test('If two nodes settle the last two pages while a third claims nothing more, the fan-out ends', async () => {
  const { nodes, post } = await aCluster(3, { devices: { ios: 4 } });
  const [node, other, third] = nodes;
  const waitFor = async (sql: Sql) => {
    const pid = await sql.value<object, number>('SELECT pg_backend_pid()')({});
    const blocked = 'SELECT count(*) FROM pg_stat_activity WHERE :pid = ANY (pg_blocking_pids(pid))';
    return async () => (await node.value(blocked, { pid })) !== 0;
  };
  await post();
  await node.calls.claimBatches({ ...LANE, limit: 4, batchSize: 4 });
  await post();
  for (const { calls } of [node, other]) await calls.claimBatches({ ...LANE, limit: 1, batchSize: 1 });
  await node.value('UPDATE subscription SET active = 0 WHERE number > 2 RETURNING 1');

  let claiming: Promise<unknown> | undefined;
  let hasClaimed = false;
  await node.store.connections.transaction('write', async ({ sql }) => {
    const isWaitedFor = await waitFor(sql);
    const settling = await other.store.connections.transaction('write', async (locking) => {
      // One node settles a page of each event, and stands between the two.
      await locking.sql.value<object, number>('SELECT event_id FROM fan_out ORDER BY event_id LIMIT 1 FOR UPDATE')({});
      const isWaiting = await waitFor(locking.sql);
      const done = sql.value<object, number>(SETTLE)({ node: node.store.node });
      await until('it waits', isWaiting);
      claiming = third.calls.claimBatches({ ...LANE, limit: 4, batchSize: 4 }).then(() => {
        hasClaimed = true;
      });
      await until('the third has claimed, or waits', async () => hasClaimed || isWaitedFor());
      return { done };
    });
    await settling.done;
    await node.value(SETTLE_NOTHING, { node: other.store.node });
  });
  await claiming;
  assert.is(await node.value('SELECT count(*) FROM claim'), 0);
  assert.is(await node.value('SELECT count(*) FROM fan_out'), 0);
});

test.run();
