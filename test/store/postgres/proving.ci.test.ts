import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../../src/store/calls.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { aNode, nodeTests } from '../../support/postgres-nodes.ts';

const test = nodeTests('proof that events can be stored');

for (const [table, isProved] of [
  ['event', false],
  ['fan_out', false],
  ['claim', true],
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
