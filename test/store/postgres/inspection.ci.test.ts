import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { postgresFindings } from '../../../src/host/doctor/postgres.ts';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { inspectPostgres } from '../../../src/store/postgres/inspection.ts';
import { migrate } from '../../../src/store/postgres/migrations.ts';
import { listNodes } from '../../../src/store/postgres/nodes/states.ts';
import { assertEach } from '../../support/assert-each.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { nodesOver } from '../../support/postgres-nodes.ts';
import { until } from '../../support/until.ts';

test('An empty database is reported as empty, and stays so', async () => {
  const url = await temporarySchema();
  const { schema, version, onlyReads, nodes } = await inspectPostgres({ url });
  assert.equal([schema.version, onlyReads, nodes], [0, false, []]);
  assert.match(version, /^\d+(\.\d+)?$/);
  assert.is(await asked(url, 'SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace'), '0');
});

test('The possible loss by a crash is reported: the cluster of the tests syncs nothing', async () => {
  const found = await inspectPostgres({ url: await temporarySchema() });
  assert.equal([found.durability.fsync, found.durability.fullPageWrites], [false, false]);
  assert.match(messages(postgresFindings(found), 'fail'), 'fsync is off');
});

test('Settings are those that count for our user', async () => {
  const url = new URL(await temporarySchema());
  const name = `careless_${process.pid}`;
  await asked(url.href, `CREATE ROLE ${name} LOGIN SUPERUSER; ALTER ROLE ${name} SET synchronous_commit = off`);
  url.username = name;
  assert.is((await inspectPostgres({ url: url.href })).durability.synchronousCommit, 'off');
});

test('The nodes that serve are listed by name, with what is left of their leases', async () => {
  const url = await temporarySchema();
  assert.equal(await listNodes(url), []);
  const nodes = await nodesOver(url, 2);
  const found = await listNodes(url);
  assertEach(found, ({ name }) => name, ['node-1', 'node-2']);
  assert.ok(found.every(({ leaseLeftMs }) => leaseLeftMs > 1_000_000));
  await until('notices reach both', async () => (await listNodes(url)).every(({ hears }) => hears === true));
  const { nodes: inspected } = await inspectPostgres({ url });
  assert.is(inspected.length, 2);
  await Promise.all(nodes.map(({ store }) => store.close()));
  assert.equal(await listNodes(url), []);
});

test('A way on which notices are swallowed is noticed, and one on which they arrive', async () => {
  const url = await temporarySchema();
  assert.is((await inspectPostgres({ url, listenUrl: url, noticeMs: 60_000 })).notices?.kind, 'arrive');
  const elsewhere = new URL(url);
  elsewhere.pathname = '/template1';
  const found = await inspectPostgres({ url, listenUrl: elsewhere.href, noticeMs: 100 });
  assert.is(found.notices?.kind, 'swallowed');
  assert.match(messages(postgresFindings(found), 'warn'), /notices: do not arrive at .*template1/);
  elsewhere.pathname = '/absent';
  const unreachable = await inspectPostgres({ url, listenUrl: elsewhere.href });
  assert.match(messages(postgresFindings(unreachable), 'fail'), /absent does not exist/);
});

test('Tables of another owner are reported, as an upgrade could not change them', async () => {
  const url = new URL(await temporarySchema());
  const connections = connectionsTo({ url: url.href });
  await migrate(connections);
  await connections.close();
  const name = `guest_${process.pid}`;
  const schema = await asked(url.href, 'SELECT current_schema()');
  await asked(
    url.href,
    `CREATE ROLE ${name} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${name};
     GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${name}`,
  );
  assert.equal((await inspectPostgres({ url: url.href })).foreignTables, []);
  url.username = name;
  const found = await inspectPostgres({ url: url.href });
  assert.ok(found.foreignTables.includes('event'));
  assert.match(messages(postgresFindings(found), 'fail'), /does not own the table .* and \d+ more/);
});

test('A transaction that is open for long, and a clock that agrees, are reported', async () => {
  const url = await temporarySchema();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN; SELECT pg_sleep(0.02)');
  const { oldestTransactionMs, clock, connections, connection } = await inspectPostgres({ url });
  await client.end();
  assert.ok(oldestTransactionMs >= 20);
  assert.ok(Math.abs(clock.aheadMs) <= clock.withinMs + 5, JSON.stringify(clock));
  assert.ok(connections.used >= 2 && connections.used < connections.most);
  assert.equal(connection, { tls: null, isVerified: false, isLocal: true });
});

test('A database that only reads is reported, and one that holds something else refused', async () => {
  const url = new URL(await temporarySchema());
  const reading = new URL(url);
  reading.searchParams.set('options', `${url.searchParams.get('options')} -c default_transaction_read_only=on`);
  const found = await inspectPostgres({ url: reading.href });
  assert.match(messages(postgresFindings(found), 'fail'), /rejects changes: it is a standby, or read-only/);
  await asked(url.href, 'CREATE TABLE customers (id INT)');
  const refusal = await inspectPostgres({ url: url.href }).catch((error: Error) => error.message);
  assert.match(String(refusal), 'holds the tables of another program');
});

test.run();

/** The first value of a statement's answer, as text; of several statements, nothing. */
async function asked(url: string, statement: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query({ text: statement, rowMode: 'array' });
    return rows?.[0]?.[0]?.toString();
  } finally {
    await client.end();
  }
}

function messages(findings: ReturnType<typeof postgresFindings>, status: string): string {
  const matching = findings.filter((finding) => finding.status === status);
  return matching.map(({ check, message }) => `${check}: ${message}`).join('\n');
}
