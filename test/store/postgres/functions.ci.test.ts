import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Connections, connectionsTo } from '../../../src/store/postgres/connections.ts';
import {
  lockTablesOf,
  migrate,
  planMigration,
  readFunctions,
  readMigrations,
} from '../../../src/store/postgres/migrations.ts';
import { sqlFile } from '../../../src/store/schema/files.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { Resources } from '../../support/resources.ts';

/** All functions and triggers that this schema has. */
const ALL = `
  SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = current_schema()::text::regnamespace
  UNION ALL
  SELECT pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
  WHERE NOT tgisinternal AND relnamespace = current_schema()::text::regnamespace
  ORDER BY text`;

async function migrated(opened: Resources): Promise<Connections> {
  const connections = connectionsTo({ url: await temporarySchema() });
  opened.onEnd(() => connections.close());
  await migrate(connections);
  return connections;
}

const all = ({ lend }: Connections) => lend(({ sql }) => sql.values<object, string>(ALL)({}));

test('Each function holds by itself, and to put all in place again changes none', async () => {
  await using opened = new Resources();
  const connections = await migrated(opened);
  const before = await all(connections);
  assert.ok(before.length > 100);
  await connections.transaction('write', async ({ execute }) => {
    await execute('SET LOCAL check_function_bodies = on');
    for (const { sql } of readFunctions()) await execute(sql);
  });
  assert.equal(await all(connections), before);
});

test('A file of functions that changed is executed again, at the start of a server and by `pushctl migrate` alone', async () => {
  await using opened = new Resources();
  const connections = await migrated(opened);
  const before = await all(connections);
  await connections.lend(({ execute }) =>
    execute(`
      CREATE OR REPLACE FUNCTION newest_event_id() RETURNS BIGINT LANGUAGE sql AS 'SELECT 0::bigint';
      DROP TRIGGER subscription_is_counted ON subscription;
    `),
  );
  await migrate(connections);
  assert.not.equal(await all(connections), before, 'nothing says that they changed');
  await note(connections, "digest = 'another' WHERE file = 'subscriptions.sql'");
  const refusal = await migrate(connections, readMigrations(), 'use').catch(({ message }: Error) => message);
  assert.match(String(refusal), /functions of an older version.*pushctl migrate/);
  const plan = await connections.lend((connection) => planMigration(connection, connections.place));
  assert.equal(
    plan.pending.map(({ file }) => file),
    ['subscriptions.sql'],
  );
  await note(connections, 'digest = digest || file');
  await migrate(connections);
  assert.equal(await all(connections), before);
});

test('A migration locks each table before it changes any, so that it never holds one and waits for another', async () => {
  await using opened = new Resources();
  const connections = await migrated(opened);
  const migration = sqlFile(
    '9999_next.sql',
    `-- The table revocation is not locked.
    ALTER TABLE workspace ADD COLUMN next TEXT;
    CREATE INDEX next_event ON event (title);
    DROP INDEX fan_out_free;
    CREATE TABLE next (plan TEXT REFERENCES plan (name));
    DO $$ BEGIN UPDATE device SET name = name; END $$;
    CREATE OR REPLACE FUNCTION next() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN DELETE FROM tally; END $$;`,
  );
  for (const files of [[migration], readFunctions()]) {
    const [before, after] = await connections.transaction('write', async (connection) => {
      await lockTablesOf(files, connection);
      const locked = await connection.sql.values<object, string>(LOCKED)({});
      await connection.execute('SET LOCAL check_function_bodies = off');
      for (const { sql } of files) await connection.execute(sql);
      return [locked, await connection.sql.values<object, string>(LOCKED)({})];
    });
    assert.equal(after, before);
    if (files.length === 1) assert.equal(before, ['device', 'event', 'fan_out', 'plan', 'workspace']);
  }
});

/** Tables that this transaction keeps from others' writes; not those that it has made. */
const LOCKED = `
  SELECT DISTINCT relname FROM pg_locks JOIN pg_class ON pg_class.oid = relation
  WHERE pid = pg_backend_pid() AND relkind = 'r' AND relname <> 'next' AND relnamespace = current_schema()::text::regnamespace
    AND mode IN ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock')
  ORDER BY relname`;

test('A server of an older version leaves the functions of a newer one', async () => {
  await using opened = new Resources();
  const connections = await migrated(opened);
  await note(connections, "digest = 'newer', program = '99.0.0' WHERE file = 'accept.sql'");
  await migrate(connections);
  const digests = await connections.lend(({ sql }) =>
    sql.values<object, string>("SELECT digest FROM function_file WHERE file = 'accept.sql'")({}),
  );
  assert.equal(digests, ['newer']);
});

function note({ lend }: Connections, change: string): Promise<void> {
  return lend(({ execute }) => execute(`UPDATE function_file SET ${change}`));
}

test.run();
