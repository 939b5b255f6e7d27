import * as assert from 'uvu/assert';
import { DEFAULT_KINDS } from '../../../../src/contract/webhooks.ts';
import type { Upkeep } from '../../../../src/store/upkeep.ts';
import { temporarySchema } from '../../../support/postgres.ts';
import { aNode, nodeTests, type TestNode } from '../../../support/postgres-nodes.ts';
import { granted } from '../../../support/refusals.ts';
import { until } from '../../../support/until.ts';
import { aWorkspace } from '../../../support/workspace.ts';

const test = nodeTests('evictions of nodes that have much');

/** More than two parts. */
const MANY = 5_000;
/** So many rows a statement changes before its time is over. */
const MOST_IN_TIME = 2_000;

test('A dead node that has more than a statement can give to the others is evicted, and no beat fails meanwhile', async () => {
  const scene = await twoNodes();
  await addAnother(scene.node);
  await scene.node.value("UPDATE node SET lease_end = 0 WHERE name = 'another' RETURNING 1");
  await until('it is evicted', async () => !(await names(scene.node)).includes('another'));
  assert.equal(await atHome(scene.node), [0, 0]);
  assert.equal(await names(scene.node), ['one', 'other']);
  assert.equal(scene.troubles, []);
});

test('A node that has more than a statement can give to the others leaves with all of it', async () => {
  const scene = await twoNodes();
  const leaving = await aNode({ url: scene.url, node: 'leaving' });
  await giveMuch(scene.node, leaving.store.node);
  await leaving.calls.close();
  assert.equal(await atHome(scene.node), [0, 0]);
  assert.equal(await names(scene.node), ['one', 'other']);
});

test('A node whose eviction has begun is not waited for, and has no lease any more, not even while all are silent', async () => {
  const scene = await twoNodes();
  const another = await addAnother(scene.node);
  // Within a transaction, as the two nodes would evict it as well.
  await scene.node.store.connections.transaction('write', async ({ sql }) => {
    const ask = (text: string) => sql.value<object, unknown>(text)({});
    await ask(`UPDATE node SET lease_end = 0 WHERE id = ${another} RETURNING 1`);
    assert.is(await ask('SELECT evict_overdue(false, 1)'), true);
    assert.is(await ask('SELECT nodes_behind(1)'), 2);
    await ask('UPDATE node SET lease_end = 0 RETURNING 1');
    assert.is(await ask(`SELECT renewed FROM beat_node(${another}, NULL, '{}', true, 0, NULL)`), false);
  });
});

test('A webhook whose node is lost, or leaves, is served at once by another, and the lost one settles nothing', async () => {
  const { node, url } = await twoNodes();
  const lost = await aNode({ url, node: 'lost' });
  await aWorkspace(node.calls, {});
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const hook = { workspace: 'acme', url: 'https://hooks.example.com/in', kinds: DEFAULT_KINDS, secret };
  const { id } = granted(await node.calls.createWebhook(hook));
  granted(await node.calls.testWebhook({ workspace: 'acme', id }));
  const take = async ({ calls }: TestNode) => (await calls.takeWebhookMessages({ limit: 1 }))[0];

  const leaving = await aNode({ url, node: 'leaving' });
  assert.ok(await take(leaving));
  assert.is(await take(node), undefined);
  await leaving.calls.close();
  const taken = await take(lost);
  if (taken === undefined) throw new Error('it is not free again');

  assert.is(await take(node), undefined);
  await node.value("UPDATE node SET lease_end = 0 WHERE name = 'lost' RETURNING 1");
  await until('it is evicted, and its message taken', async () => (await take(node)) !== undefined);
  const { webhookId, messageId, lease } = taken;
  await lost.calls.settleWebhookMessage({ webhookId, messageId, lease, outcome: { kind: 'taken' } });
  assert.is(granted(await node.calls.showWebhook({ workspace: 'acme', id })).waiting, 1);
});

test.run();

async function twoNodes() {
  const url = await temporarySchema();
  const troubles: string[] = [];
  const onTrouble = (what: Upkeep, reason: string | null) => void troubles.push(`${what}: ${reason}`);
  const node = await aNode({ url, onTrouble });
  await aNode({ url, node: 'other' });
  return { url, node, troubles };
}

/** A node that lives, and has much. */
async function addAnother(node: TestNode): Promise<number> {
  const another =
    await node.value(`INSERT INTO node (name, version, started_at, beaten_at, lease_ms, lease_end, revocations_seen)
    SELECT 'another', version, started_at, beaten_at, lease_ms, lease_end, 0 FROM node WHERE name = 'one' RETURNING id`);
  await giveMuch(node, another ?? 0);
  return another ?? 0;
}

/** Events and retries that wait for the links of this node, half of which it owns, in a database that is too slow for all of them at once. */
async function giveMuch({ execute }: TestNode, home: number): Promise<void> {
  const rows = `generate_series(1, ${MANY}) AS id`;
  await execute(`
      INSERT INTO fan_out (event_id, route, lane, home, owner, workspace_id, channel_id, last, targeted, expires_at)
      SELECT id, 'apns_production', 'standard', ${home}, CASE WHEN id % 2 = 0 THEN ${home} END, 1, 1, 1, 1, 0 FROM ${rows};
      INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, home, owner, state, attempts, at, due_at)
      SELECT id, 1, 1, 'apns_production', 'standard', ${home}, CASE WHEN id % 2 = 0 THEN ${home} END, 'pending', 1, 0, 0 FROM ${rows};
      CREATE FUNCTION end_what_takes_long() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT count(*) FROM changed) > ${MOST_IN_TIME} THEN RAISE SQLSTATE '57014'; END IF;
        RETURN NULL;
      END $$;
      ${['fan_out', 'delivery']
        .map(
          (table) => `
            CREATE TRIGGER end_what_takes_long AFTER UPDATE ON ${table} REFERENCING NEW TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION end_what_takes_long();`,
        )
        .join('')}
  `);
}

function names({ store }: TestNode): Promise<readonly string[]> {
  return store.connections.lend(({ sql }) => sql.values<object, string>('SELECT name FROM node ORDER BY name')({}));
}

async function atHome(node: TestNode): Promise<readonly unknown[]> {
  return Promise.all(
    ['fan_out', 'delivery'].map((table) =>
      node.value(`SELECT count(*) FROM ${table} WHERE home <> 0 OR owner IS NOT NULL`),
    ),
  );
}
