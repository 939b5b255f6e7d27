import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW_MS } from '../../../../src/store/postgres/sql.ts';
import { Opened } from '../../../support/opened.ts';
import { temporarySchema } from '../../../support/postgres.ts';
import { nodesOver, type TestNode } from '../../../support/postgres-nodes.ts';

const test = suite("leases on PostgreSQL while the database's clock is set");

const DAY_MS = 86_400_000;

test('Where the clock is set forward, no node is taken for dead, and the first to beat spares all others', async () => {
  await using scene = await twoNodes();
  await execute(scene.one, `UPDATE node SET lease_end = lease_end - ${DAY_MS}`);
  assert.is(await beat(scene.one), true);
  assert.equal(await names(scene.one), ['node-1', 'node-2']);
  assert.is(await beat(scene.other), true);
});

test('Who has died before the clock is set on is evicted one lease later', async () => {
  await using scene = await twoNodes();
  await execute(scene.one, INSERT_DEAD);
  await execute(scene.one, `UPDATE node SET lease_end = lease_end - ${DAY_MS}`);
  await beat(scene.one);
  await execute(scene.one, "UPDATE node SET lease_end = 0 WHERE name = 'dead'");
  await beat(scene.one);
  assert.equal(await names(scene.one), ['node-1', 'node-2']);
});

test('While all are silent, a node is spared but once', async () => {
  await using scene = await twoNodes();
  await execute(scene.one, INSERT_DEAD);
  for (const _ of ['spared', 'evicted']) {
    await execute(scene.one, `UPDATE node SET lease_end = lease_end - ${DAY_MS}`);
    await beat(scene.one);
  }
  assert.not.ok((await names(scene.one)).includes('dead'));
});

test('Where the clock is set back, no lease lasts longer than a new one', async () => {
  await using scene = await twoNodes();
  await execute(scene.one, `UPDATE node SET lease_end = lease_end + ${DAY_MS} WHERE name = 'node-2'`);
  await beat(scene.one);
  assert.equal(await values(scene.one, `SELECT name FROM node WHERE lease_end > ${NOW_MS} + lease_ms`), []);
});

const INSERT_DEAD = `
  INSERT INTO node (name, version, started_at, lease_ms, lease_end, ends_seen)
  SELECT 'dead', version, started_at, lease_ms, lease_end, ends_seen FROM node WHERE name = 'node-2'`;

async function twoNodes() {
  const opened = new Opened();
  const nodes = await nodesOver(await temporarySchema(), 2);
  for (const { store } of nodes) opened.add(store);
  const [one, other] = nodes as [TestNode, TestNode];
  return { one, other, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

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

function execute({ store }: TestNode, text: string): Promise<void> {
  return store.connections.lend((connection) => connection.execute(text));
}

test.run();
