import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { rememberedByPlace } from '../../../src/store/postgres/sql.ts';
import { handlerStatements } from '../../support/handler-statements.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { someSettings } from '../../support/store.ts';

test('PostgreSQL knows every statement of the handlers, and the type of each of its parameters', async () => {
  const store = await openPostgres({ url: await temporarySchema(), settings: someSettings() });
  const placed = rememberedByPlace();
  const faults = await store.connections.lend(async ({ execute }) => {
    const found: string[] = [];
    for (const [n, text] of handlerStatements().entries()) {
      await execute(`PREPARE verb_${n} AS ${placed(text).text}`).catch(({ message }) =>
        found.push(`${message}: ${text}`),
      );
    }
    return found;
  });
  assert.equal(faults, []);
  await store.close();
});

test('a text in quotes and a cast keep their colons, and a name that stands twice is one parameter', () => {
  const { text, names } = rememberedByPlace()("SELECT ':a', x::text FROM t WHERE a = :a AND b = :b OR c = :a");
  assert.is(text, "SELECT ':a', x::text FROM t WHERE a = $1 AND b = $2 OR c = $1");
  assert.equal(names, ['a', 'b']);
});

test.run();
