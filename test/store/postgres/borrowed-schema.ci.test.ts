import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { borrowedSchema, empty, temporarySchema } from '../../support/postgres.ts';
import { aNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { someSettings } from '../../support/store.ts';
import { aWorkspace } from '../../support/workspace.ts';

test('a schema that was emptied for the next test is as a new one', async () => {
  const url = await temporarySchema();
  await (await openPostgres({ url, settings: someSettings() })).close();
  const before = await contents(url);
  const { calls, store } = await aNode({ url });
  await calls.setPlan({ name: 'unlimited', monthlyEvents: 3 });
  await calls.setPlan({ name: 'small', monthlyEvents: 1 });
  const workspace = await aWorkspace(calls, { devices: { ios: 2 } });
  await workspace.issueKey();
  await workspace.accept();
  granted(await calls.deleteWorkspace({ slug: 'acme' }));
  await store.close();
  assert.not.equal(await contents(url), before);
  await empty(url);
  assert.equal(await contents(url), before);
});

test('a schema that held thousands of rows is emptied to the same', async () => {
  const url = await temporarySchema();
  await (await openPostgres({ url, settings: someSettings() })).close();
  const before = await contents(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`INSERT INTO workspace (slug, name, created_at)
    SELECT 'slug-' || n, repeat('name', 20), 0 FROM generate_series(1, 5000) AS n`);
  await empty(url);
  assert.equal(await contents(url), before);
  const size = await client.query("SELECT pg_relation_size('workspace')::int AS bytes");
  assert.is(size.rows[0].bytes, 0);
  await client.end();
});

test('a schema is borrowed by one test at a time', async () => {
  const urls = await Promise.all([1, 2, 3].map(borrowedSchema));
  assert.is(new Set(urls).size, 3);
});

test.run();

/** The rows of each table, and where each sequence stands. */
async function contents(url: string): Promise<Record<string, readonly unknown[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT relname AS name, relkind AS kind FROM pg_class
    WHERE relkind IN ('r', 'S') AND relnamespace = current_schema()::text::regnamespace ORDER BY relname`);
  const found: Record<string, readonly unknown[]> = {};
  for (const { name, kind } of rows) {
    const columns = kind === 'S' ? 'last_value, is_called' : '*';
    found[name] = (await client.query(`SELECT ${columns} FROM ${name}`)).rows;
  }
  await client.end();
  return found;
}
