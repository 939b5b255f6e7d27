import * as assert from 'uvu/assert';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { aCluster, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { until } from '../../support/until.ts';
import { NOW_MS } from '../../support/world.ts';

const test = nodeTests('PostgreSQL with an old transaction of a stranger');

/** Some 20 pages of versions of each counter. */
const POSTS = 1_200;

test('A post reads no more of its counters, however many versions an old snapshot keeps', async () => {
  const clock = { ms: NOW_MS, wallMs: () => clock.ms, steadyMs: () => clock.ms };
  const { nodes, post, issueKey, url, workspaceId } = await aCluster(1, { devices: { ios: 1 } }, { clock });
  const [node] = nodes;
  granted(await node.calls.setPlan({ name: 'small', monthlyEvents: 2 * POSTS }));
  granted(await node.calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
  const { id } = await issueKey();
  const postSome = async (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      clock.ms += 200;
      await post({ perMinute: 1_000_000 }, { kind: 'key', id, scope: 'events:write' });
    }
  };
  const month = new Date(NOW_MS).toISOString().slice(0, 7);
  /** Each counts one more. */
  const blocks = async () => [
    await blocksRead(node, `SELECT usage_in(${workspaceId}, '${month}')`),
    await blocksRead(node, `SELECT lock_allowances(ARRAY[${workspaceId}], '${month}', true)`),
    await blocksRead(node, `SELECT count_usage(${workspaceId}, '${month}', 0, 1, ${clock.ms})`),
    await blocksRead(
      node,
      `SELECT count_tally(${workspaceId}, ${channelId}, '', 'events', '', ${node.store.node}, 1, ${clock.ms})`,
    ),
    await blocksRead(
      node,
      `SELECT count_uses(ARRAY['${key}'], ARRAY[1::bigint], ARRAY[100], ARRAY[60000], ${clock.ms})`,
    ),
  ];
  await using stranger = await anOldTransaction(url);
  await postSome(50);
  const channelId = await node.value('SELECT channel_id FROM tally');
  const key = await node.value('SELECT name FROM rolling_window');
  const early = await blocks();
  await postSome(POSTS);
  const late = await blocks();
  await stranger.isOpen();
  assert.equal(
    late.map((count, place) => count <= 3 * (early[place] ?? 0)),
    early.map(() => true),
    `${early} blocks, then ${late}`,
  );
  assert.is(await node.value('SELECT sum(events)::bigint FROM usage_of_node'), POSTS + 52);
});

test('Counts that meet at the end of a slot are all counted, whatever their times', async () => {
  const { nodes, url } = await aCluster(1);
  const [node] = nodes;
  const many = (slot: number) =>
    `SELECT count_tally(1, 1, '', 'events', '', 1, 1, ${NOW_MS - (NOW_MS % 3_600_000)} + 10000 * ${slot})`;
  const blocked = `SELECT count(*) > 0 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND query LIKE '%count_tally%'`;
  await node.execute(many(5));
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const first = connectionsTo({ url, most: 1 });
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const done = first.transaction('long write', async ({ execute }) => {
    await execute(many(6));
    begin();
    await isOver;
  });
  await Promise.race([hasBegun, done]);
  const second = node.execute(many(5));
  await until('the second waits', () => node.value<boolean>(blocked));
  end();
  await Promise.all([done, second]);
  await first.close();
  for (const slot of [5, 6, 7, 5]) await node.execute(many(slot));
  assert.is(await node.value('SELECT sum(count)::bigint FROM tally'), 7);
});

/** Returns how many pages a statement reads, of tables and indexes. */
async function blocksRead({ store }: TestNode, statement: string): Promise<number> {
  const [plan] = await store.connections.lend(({ sql }) =>
    sql.values<object, ExplainedPlan>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`)({}),
  );
  const [explained] = typeof plan === 'string' ? JSON.parse(plan) : plan;
  return explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks'];
}

type ExplainedPlan = readonly [{ readonly Plan: Readonly<Record<string, number>> }];

/** Keeps every version of a row from now on. */
async function anOldTransaction(url: string) {
  const connections = connectionsTo({ url, most: 1 });
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const done = connections.transaction('long read', async ({ sql, execute }) => {
    await execute('SET LOCAL idle_in_transaction_session_timeout = 0');
    await sql.value('SELECT count(*) FROM event')({});
    begin();
    await isOver;
    return sql.value('SELECT count(*) FROM event')({});
  });
  await Promise.race([hasBegun, done]);
  return {
    async isOpen() {
      end();
      assert.is(await done, 0);
    },
    async [Symbol.asyncDispose]() {
      end();
      await done.catch(() => {});
      await connections.close();
    },
  };
}

test.run();
