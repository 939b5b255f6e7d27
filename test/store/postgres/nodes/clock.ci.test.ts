import * as assert from 'uvu/assert';
import { NOW_MS } from '../../../../src/store/postgres/sql.ts';
import { aCluster, nodeTests, type TestNode } from '../../../support/postgres-nodes.ts';

const test = nodeTests("leases on PostgreSQL while the database's clock is set");

const DAY_MS = 86_400_000;

test('If the clock is set forward, no node is taken for dead, and the first to beat spares all others', async () => {
  const [node, other] = (await aCluster(2)).nodes;
  await node.execute(`UPDATE node SET lease_end = lease_end - ${DAY_MS}`);
  assert.is(await beat(node), true);
  assert.equal(await names(node), ['node-1', 'node-2']);
  assert.is(await beat(other), true);
});

test('A node that has died before the clock is set on is evicted one lease later', async () => {
  const [node] = (await aCluster(2)).nodes;
  await node.execute(INSERT_DEAD);
  await node.execute(`UPDATE node SET lease_end = lease_end - ${DAY_MS}`);
  await beat(node);
  await node.execute("UPDATE node SET lease_end = 0 WHERE name = 'dead'");
  await beat(node);
  assert.equal(await names(node), ['node-1', 'node-2']);
});

test('While all are silent, a node is spared but once', async () => {
  const [node] = (await aCluster(2)).nodes;
  await node.execute(INSERT_DEAD);
  for (const _ of ['spared', 'evicted']) {
    await node.execute(`UPDATE node SET lease_end = lease_end - ${DAY_MS}`);
    await beat(node);
  }
  assert.not.ok((await names(node)).includes('dead'));
});

test('If the clock is set back, no lease lasts longer than a new one', async () => {
  const [node] = (await aCluster(2)).nodes;
  await node.execute(`UPDATE node SET lease_end = lease_end + ${DAY_MS} WHERE name = 'node-2'`);
  await beat(node);
  assert.equal(await values(node, `SELECT name FROM node WHERE lease_end > ${NOW_MS} + lease_ms`), []);
});

const INSERT_DEAD = `
  INSERT INTO node (name, version, started_at, lease_ms, lease_end, revocations_seen)
  SELECT 'dead', version, started_at, lease_ms, lease_end, revocations_seen FROM node WHERE name = 'node-2'`;

/** Whether the node's lease was renewed. */
async function beat({ store }: TestNode): Promise<boolean> {
  const text = "SELECT renewed FROM beat_node($1, NULL, '{}', true, 0)";
  const { rows } = await store.connections.lend(({ ask }) => ask({ text, values: [store.node] }));
  return (rows as readonly [{ readonly renewed: boolean }])[0].renewed;
}

function names(node: TestNode): Promise<readonly unknown[]> {
  return values(node, 'SELECT name FROM node ORDER BY name');
}

function values({ store }: TestNode, text: string): Promise<readonly unknown[]> {
  return store.connections.lend(({ sql }) => sql.values<object, unknown>(text)({}));
}

test.run();
