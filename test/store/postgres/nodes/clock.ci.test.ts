import * as assert from 'uvu/assert';
import { connectionsTo } from '../../../../src/store/postgres/connections.ts';
import { NOW_MS, QUEUE_MS } from '../../../../src/store/postgres/sql.ts';
import { temporarySchema } from '../../../support/postgres.ts';
import { aCluster, nodesOver, nodeTests, type TestNode } from '../../../support/postgres-nodes.ts';
import { untilIs } from '../../../support/until.ts';
import { anEvent, aWorkspace } from '../../../support/workspace.ts';

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

test('If the clock is set back by an hour while nodes run, no retry and no webhook waits longer than before', async () => {
  const { url, setClock } = await withOwnClock();
  const [node] = (await nodesOver(url, 2)) as [TestNode, TestNode];
  const { workspaceId } = await aWorkspace(node.calls, { devices: { ios: 1 } });
  await node.calls.expireOverdue({});
  await node.execute(`
    INSERT INTO event (id, uuid, workspace_id, title, level, urgency, had_links, targeted, received_at, expires_at)
    SELECT 1, decode(md5('1'), 'hex'), ${workspaceId}, 'title', 'info', 'standard', 0, 1, ${NOW_MS}, ${NOW_MS} + ${DAY_MS};
    INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at, due_at)
    SELECT 1, 1, ${workspaceId}, 'apns_production', 'standard', 'pending', 1, ${NOW_MS}, ${NOW_MS} + ${RETRY_MS};
    INSERT INTO webhook (id, workspace_id, url, kinds, secret, failures, rests_until, busy_until, created_at)
    SELECT 'wh', ${workspaceId}, 'https://hooks.example.com', ' alert.opened ', 'secret', 3, ${NOW_MS} + 4000, ${NOW_MS} + 60000, 0;
    INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at, attempts, due_at)
    SELECT 'wh', ${workspaceId}, 'message', 'alert.opened', 'alert 1', '{}', 0, 2, ${NOW_MS} + 300000`);
  const longest = async () => {
    const waits = await values(
      node,
      `
      SELECT due_at - ${NOW_MS} FROM delivery UNION ALL SELECT rests_until - ${NOW_MS} FROM webhook
      UNION ALL SELECT busy_until - ${NOW_MS} FROM webhook UNION ALL SELECT due_at - ${NOW_MS} FROM webhook_message`,
    );
    return (waits as readonly number[]).map((ms, place) => ms <= ([RETRY_MS, 4_000, 60_000, 300_000][place] ?? 0));
  };
  assert.equal(await longest(), [true, true, true, true]);
  await setClock(-3_600_000);
  assert.equal(await longest(), [false, false, false, false]);
  await untilIs('all waits are as long as before', async () => String(await longest()), 'true,true,true,true');
  assert.equal(await values(node, `SELECT id FROM event WHERE expires_at > ${NOW_MS} + ${DAY_MS}`), []);
  assert.equal(
    await values(node, 'SELECT d.expires_at - e.expires_at FROM delivery AS d JOIN event AS e ON e.id = event_id'),
    [0],
  );
});

test('If the clock is set forward by days while nodes run, it counts once, and nothing expires', async () => {
  const { url, setClock } = await withOwnClock();
  const [node, other] = (await nodesOver(url, 2)) as [TestNode, TestNode];
  const { workspaceId } = await aWorkspace(node.calls, { devices: { ios: 2 } });
  await node.calls.expireOverdue({});
  await node.calls.acceptEvent(anEvent(workspaceId));
  await setClock(3 * DAY_MS);
  assert.equal((await other.calls.expireOverdue({})).finished, [], 'before any node has counted the jump');
  const late = await node.calls.acceptEvent(anEvent(workspaceId));
  await untilIs('the jump is counted', () => skippedDays(node), 3);
  assert.equal([await beat(node), await beat(other)], [true, true]);
  await untilIs('lives end in time', async () => (await values(node, LONG_LIVES)).length, 0);
  assert.is(await skippedDays(node), 3);
  assert.equal((await other.calls.expireOverdue({})).finished, []);
  assert.is(late.kind, 'accepted');
  const sent = await node.calls.claimBatches({ route: 'apns_production', lane: 'standard', limit: 10, batchSize: 10 });
  assert.is(sent.claims.flatMap(({ targets }) => targets).length, 4);
});

test('If the clock is set forward and back twice while nodes run, nothing expires', async () => {
  const { url, setClock } = await withOwnClock();
  const [node, other] = (await nodesOver(url, 2)) as [TestNode, TestNode];
  const { workspaceId } = await aWorkspace(node.calls, { devices: { ios: 1 } });
  await node.calls.expireOverdue({});
  await node.calls.acceptEvent(anEvent(workspaceId, { expiresInS: 3_600 }));
  for (const clockMs of [DAY_MS, 0, DAY_MS, 0, DAY_MS]) {
    await setClock(clockMs);
    await untilIs('all nodes have seen the clock', () => other.value<boolean>(SEEN_BY_ALL, { clockMs }), true);
  }
  assert.is(await skippedDays(node), 3);
  for (const { calls } of [node, other]) assert.equal((await calls.expireOverdue({})).finished, []);
  const sent = await node.calls.claimBatches({ route: 'apns_production', lane: 'standard', limit: 10, batchSize: 10 });
  assert.is(sent.claims.flatMap(({ targets }) => targets).length, 1);
});

test('A post that is under way while a jump is counted lives no longer than others', async () => {
  const { url, setClock } = await withOwnClock();
  const [node] = (await nodesOver(url, 1)) as [TestNode];
  const { workspaceId } = await aWorkspace(node.calls, { devices: { ios: 1 } });
  await node.calls.expireOverdue({});
  await node.calls.acceptEvent(anEvent(workspaceId));
  const counting = await holding(url, 'INSERT INTO queue_clock (id, skipped_ms) VALUES (1, 0)');
  const counter = await holding(url, 'LOCK TABLE usage_of_node IN SHARE ROW EXCLUSIVE MODE');
  await setClock(3 * DAY_MS);
  const post = node.calls.acceptEvent(anEvent(workspaceId));
  await untilIs(
    'the post waits',
    () => node.value<boolean>(`SELECT count(*) > 0 FROM (${BLOCKED_POSTS}) AS posts`),
    true,
  );
  await node.execute(`UPDATE event SET expires_at = expires_at + ${3 * DAY_MS}`);
  await counting.commit();
  await untilIs('the jump is counted', () => skippedDays(node), 3);
  await untilIs('lives of earlier posts are shortened', async () => (await values(node, LONG_LIVES)).length, 0);
  await counter.commit();
  assert.is((await post).kind, 'accepted');
  assert.is((await values(node, LONG_LIVES)).length, 1);
  await untilIs('the life ends in time', async () => (await values(node, LONG_LIVES)).length, 0, 20_000);
});

test('If no node runs for days, what waits expires, whatever was counted before', async () => {
  const { url, setClock } = await withOwnClock();
  const [node] = (await nodesOver(url, 1)) as [TestNode];
  const { workspaceId } = await aWorkspace(node.calls, { devices: { ios: 1 } });
  await node.calls.expireOverdue({});
  await node.calls.acceptEvent(anEvent(workspaceId));
  await setClock(3 * DAY_MS);
  await untilIs('the jump is counted', () => skippedDays(node), 3);
  await node.store.close();
  await setClock(5 * DAY_MS);
  const [next] = (await nodesOver(url, 1)) as [TestNode];
  assert.is((await next.calls.expireOverdue({})).finished.length, 1);
  assert.is(await skippedDays(next), 3);
});

test('A node that was suspended counts no jump if another one has seen the time pass', async () => {
  const [node] = (await aCluster(2)).nodes;
  await node.execute(`UPDATE node SET started_at = started_at - ${DAY_MS}`);
  const expected = `${NOW_MS} - ${DAY_MS} / 2`;
  await node.execute(`SELECT beat_node(id, NULL, '{}', true, 0, ${expected}) FROM node WHERE name = 'node-2'`);
  assert.is(await skippedDays(node), 0);
});

const SEEN_BY_ALL = 'SELECT bool_and(abs(clock_off_ms + :clockMs) < 60000) FROM node';
const BLOCKED_POSTS = `
  SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE NOT granted AND query LIKE 'CALL post_events%' AND datname = current_database()`;

/** Executes statements in a transaction of a stranger, which lasts until `commit`. */
async function holding(url: string, statements: string) {
  const connections = connectionsTo({ url, most: 1 });
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const done = connections.transaction('long write', async ({ execute }) => {
    await execute(statements);
    begin();
    await isOver;
  });
  await Promise.race([hasBegun, done]);
  return {
    async commit() {
      end();
      await done;
      await connections.close();
    },
  };
}

const LONG_LIVES = `SELECT id FROM event WHERE expires_at > ${QUEUE_MS} + ${DAY_MS}`;

async function skippedDays(node: TestNode): Promise<number> {
  const [ms = 0] = await values(node, 'SELECT skipped_ms FROM queue_clock');
  return Math.round((ms as number) / DAY_MS);
}

const RETRY_MS = 60_000;

/** A store whose database has a clock that can be set. */
async function withOwnClock() {
  const found = await temporarySchema();
  const name = /search_path=(\w+)/.exec(decodeURIComponent(found))?.[1];
  const clock = connectionsTo({ url: found });
  await clock.lend(({ execute }) =>
    execute(`
      CREATE SCHEMA ${name}_clock;
      CREATE TABLE ${name}_clock.off (ms BIGINT); INSERT INTO ${name}_clock.off VALUES (0);
      CREATE FUNCTION ${name}_clock.clock_timestamp() RETURNS TIMESTAMPTZ LANGUAGE sql VOLATILE AS
        'SELECT pg_catalog.clock_timestamp() + ms * INTERVAL ''1 ms'' FROM ${name}_clock.off'`),
  );
  const url = new URL(found);
  url.searchParams.set('options', `-c search_path=${name},${name}_clock,pg_catalog`);
  const setClock = (ms: number) => clock.lend(({ execute }) => execute(`UPDATE ${name}_clock.off SET ms = ${ms}`));
  return { url: url.href, setClock };
}

const INSERT_DEAD = `
  INSERT INTO node (name, version, started_at, beaten_at, lease_ms, lease_end, revocations_seen)
  SELECT 'dead', version, started_at, beaten_at, lease_ms, lease_end, revocations_seen FROM node WHERE name = 'node-2'`;

/** Whether the node's lease was renewed. */
async function beat({ store }: TestNode): Promise<boolean> {
  const text = "SELECT renewed FROM beat_node($1, NULL, '{}', true, 0, NULL)";
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
