import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Connections, connectionsTo } from '../../../src/store/postgres/connections.ts';
import { migrate, readFunctions, readMigrations } from '../../../src/store/postgres/migrations.ts';
import { Opened } from '../../support/opened.ts';
import { temporarySchema } from '../../support/postgres.ts';

/** All functions and triggers that this schema has. */
const ALL = `
  SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = current_schema()::text::regnamespace
  UNION ALL
  SELECT pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
  WHERE NOT tgisinternal AND relnamespace = current_schema()::text::regnamespace
  ORDER BY text`;

async function migrated(opened: Opened, migrations = readMigrations()): Promise<Connections> {
  const connections = connectionsTo({ url: await temporarySchema() });
  opened.onEnd(() => connections.close());
  await migrate(connections, migrations);
  return connections;
}

const all = ({ lend }: Connections) => lend(({ sql }) => sql.values<object, string>(ALL)({}));

test('Each function holds by itself, and to put all in place again changes none', async () => {
  await using opened = new Opened();
  const connections = await migrated(opened);
  const before = await all(connections);
  assert.ok(before.length > 100);
  await connections.transaction('write', async ({ execute }) => {
    await execute('SET LOCAL check_function_bodies = on');
    for (const { sql } of readFunctions()) await execute(sql);
  });
  assert.equal(await all(connections), before);
});

test('An upgrade puts in place what is there now, whatever was there before', async () => {
  await using opened = new Opened();
  const connections = await migrated(opened, readMigrations().slice(0, -1));
  const before = await all(connections);
  await connections.lend(({ execute }) =>
    execute(`
      CREATE OR REPLACE FUNCTION newest_event_id() RETURNS BIGINT LANGUAGE sql AS 'SELECT 0::bigint';
      DROP TRIGGER subscription_is_counted ON subscription;
    `),
  );
  assert.not.equal(await all(connections), before);
  await migrate(connections);
  assert.equal(await all(connections), before);
});

test('Changed functions come with a migration, without which no upgrade would put them in place', () => {
  const code = readFunctions().map(({ sql }) => sql.replace(/--.*$/gm, '').replace(/\s+/g, ' '));
  const digest = createHash('sha256').update(code.join('')).digest('hex').slice(0, 16);
  const line = `-- Functions: ${digest}`;
  const last = readMigrations().at(-1);
  assert.ok(
    last?.sql.includes(line),
    `"${line}" belongs into ${last?.file} or, once that is released, into the next one`,
  );
});

test.run();
