import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { temporarySchema } from '../../support/postgres.ts';

test('Nothing of ours is compiled before it is carried out', async () => {
  const connections = connectionsTo({ url: await temporarySchema() });
  const text = 'SHOW jit';
  assert.equal(await connections.lend(({ sql }) => sql.value<object, string>(text)({})), 'off');
  for (const kind of ['read', 'write'] as const) {
    // Asks like a pooler, which may lend a connection that another has made.
    await connections.lend(({ execute }) => execute('SET jit = on'));
    assert.equal(await connections.transaction(kind, ({ sql }) => sql.value<object, string>(text)({})), 'off');
  }
  await connections.close();
});

test.run();
