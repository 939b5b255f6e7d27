import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../../src/store/calls.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { aCluster, aNode, nodeTests } from '../../support/postgres-nodes.ts';
import { anEvent } from '../../support/workspace.ts';

const test = nodeTests('proof that events can be stored');

for (const [table, isProved] of [
  ['event', false],
  ['fan_out', false],
] as const) {
  test(`While a stranger has locked ${table}, it ${isProved ? 'is proved' : 'is not'}`, async () => {
    const url = await temporarySchema();
    const { calls } = await aNode({ url });
    const stranger = await aNode({ url, node: 'stranger' });
    await stranger.store.connections.transaction('long write', async ({ execute }) => {
      await execute(`LOCK TABLE ${table}`);
      const outcome = await calls.proveWritable({}).catch((error: unknown) => error);
      if (isProved) assert.is(outcome, null);
      else assert.instance(outcome, StoreUnavailable);
    });
    assert.is(await calls.proveWritable({}), null);
  });
}

for (const [broken, statement] of [
  ['the function of a post is gone', 'ALTER FUNCTION accept_events RENAME TO accepted_before'],
  ['the counters of usage lack a column', 'ALTER TABLE usage_of_node RENAME events TO counted'],
  ['the counters of requests lack a column', 'ALTER TABLE rolling_window RENAME wanted TO asked'],
  ['a trigger of the queue fails', 'ALTER TABLE queue_change RENAME waiting TO waits'],
] as const) {
  test(`It is not proved if every post fails because ${broken}`, async () => {
    const { nodes, post, workspaceId, issueKey } = await aCluster(1, { devices: { ios: 1 } });
    const [{ calls, execute }] = nodes;
    const { id } = await issueKey();
    await post();
    await calls.proveWritable({});
    await execute(statement);
    const key = { kind: 'key', id, scope: 'events:write' } as const;
    await assertRejects(() => calls.acceptEvent(anEvent(workspaceId, { perMinute: 100 }), key));
    await assertRejects(() => calls.proveWritable({}));
  });
}

test('A proof stores no event, and leaves a key and its requests alone', async () => {
  const { nodes, post } = await aCluster(1, { devices: { ios: 1 } });
  const [{ calls, value }] = nodes;
  await post();
  const counted = `SELECT (SELECT count(*) FROM event) || ' ' || (SELECT count(*) FROM idempotency_key) || ' ' ||
    (SELECT sum(events) FROM usage_of_node) || ' ' || (SELECT sum(count) FROM tally)`;
  const before = await value<string>(counted);
  await calls.proveWritable({});
  assert.is(await value<string>(counted), before);
});

test('Each proof takes a page of its own, and what they leave has a bound', async () => {
  const { calls, store } = await aNode({ url: await temporarySchema() });
  const size = async () =>
    Number(await store.connections.lend(({ sql }) => sql.value<object, number>(`SELECT pg_relation_size('room')`)({})));
  let [before, most] = [0, 0];
  for (let n = 0; n < 300; n += 1) {
    await calls.proveWritable({});
    const now = await size();
    assert.is.not(now, before, 'it has taken a page');
    before = now;
    most = Math.max(most, now);
  }
  assert.ok(most < 1_100_000, `${most} bytes`);
});

test.run();

async function assertRejects(run: () => Promise<unknown>): Promise<void> {
  const outcome = await run().then(
    () => 'answered',
    () => 'rejected',
  );
  assert.is(outcome, 'rejected');
}
