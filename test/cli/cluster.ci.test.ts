import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NodeDocument } from '../../src/cli/output/node-table.ts';
import type { Status } from '../../src/cli/status/collect.ts';
import type { Finding } from '../../src/process/finding.ts';
import { packageVersion } from '../../src/process/package.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { connectionsTo } from '../../src/store/postgres/connections.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { startTestServers } from '../support/cluster-servers.ts';
import { temporarySchema } from '../support/postgres.ts';
import { Resources } from '../support/resources.ts';
import { until, untilIs } from '../support/until.ts';
import { valuesOf } from '../support/values-of.ts';

const test = suite('cli: servers that share a database');

test('Status, doctor and node list show the database and all servers, on each of them', async () => {
  await using opened = new Resources();
  const { servers } = await startTestServers(opened);
  const cli = new Cli();
  const env = { ...servers[1]?.env } as Record<string, string>;

  const { nodes } = await cli.json<{ nodes: NodeDocument[] }>(['node', 'list'], { env });
  assert.equal(
    nodes.map(({ name, version }) => [name, version]),
    [
      ['node-1', packageVersion()],
      ['node-2', packageVersion()],
    ],
  );
  assert.match((await cli.run(['node', 'list'], { env })).stdout, /^NODE .*\nnode-1 .*\nnode-2 /);

  const status = JSON.parse((await cli.run(['status', '--json'], { env })).stdout) as Status;
  assert.is(status.server?.version, packageVersion());
  assert.equal(valuesOf(status.database?.nodes ?? [], 'name'), ['node-1', 'node-2']);
  assert.ok(status.queue.length > 0 && status.queue.every(({ waiting }) => waiting === 0));
  const { stdout } = await cli.run(['status'], { env });
  assert.match(stdout, /^PostgreSQL \d.*\nNODE .*\nnode-1 /m);
  assert.match(stdout, /^last backup +PostgreSQL's business$/m);

  const { findings } = JSON.parse((await cli.run(['doctor', '--json'], { env })).stdout) as { findings: Finding[] };
  const messagesOf = (check: string) =>
    findings.filter((finding) => finding.check === check).map(({ message }) => message);
  assert.match(messagesOf('database')[0] ?? '', /is PostgreSQL \d.*, with schema \d+$/);
  assert.is(messagesOf('nodes')[0], '2 are running: node-1, node-2');
  assert.is(messagesOf('notices').length, 1);
  assert.match(messagesOf('durability')[0] ?? '', 'fsync is off');
  assert.match(messagesOf('failover')[0] ?? '', 'there is no standby');
  assert.equal([messagesOf('disk'), messagesOf('write-ahead log')], [[], []]);
});

test('If every post fails, the servers are not ready, and node list and doctor say so', async () => {
  await using opened = new Resources();
  const url = await temporarySchema();
  const { servers } = await startTestServers(opened, { url });
  const cli = new Cli();
  const env = { ...servers[1]?.env } as Record<string, string>;
  const isReady = async () => (await fetch(new URL('/readyz', servers[1]?.server.url))).status;
  const states = async () => (await cli.json<{ nodes: NodeDocument[] }>(['node', 'list'], { env })).nodes;
  assert.is(await isReady(), 200);

  const connections = connectionsTo({ url });
  await connections.lend(({ execute }) => execute('ALTER FUNCTION accept_events RENAME TO accepted_before'));
  await untilIs('it is not ready', isReady, 503);
  await until('both refuse', async () => (await states()).every(({ state }) => state === 'refusing'));
  const { stdout } = await cli.run(['doctor'], { env });
  assert.match(stdout, 'FAIL  nodes: node-1 accepts no events: an unexpected error of the store');

  await connections.lend(({ execute }) => execute('ALTER FUNCTION accepted_before RENAME TO accept_events'));
  await connections.close();
  await untilIs('it is ready again', isReady, 200);
  await until('both serve', async () => (await states()).every(({ state }) => state === 'serving'));
});

test('All three report a database that cannot be reached, without its password', async () => {
  const cli = new Cli();
  const env = { PUSHCTL_STORE_URL: 'postgres://pushctl:secret@localhost/pushctl?host=/nowhere' };
  for (const verb of [['status'], ['doctor'], ['node', 'list']]) {
    const { exitCode, stdout, stderr } = await cli.run(verb, { env });
    assert.is(exitCode, verb[0] === 'node' ? 75 : 1);
    assert.match(stdout + stderr, /\/nowhere\/pushctl cannot be reached/);
    assert.not.match(stdout + stderr, 'secret');
  }
});

test('If nothing was stored yet, all three say so', async () => {
  const cli = new Cli();
  const env = { PUSHCTL_STORE_URL: await temporarySchema() };
  assert.match((await cli.run(['node', 'list'], { env })).stdout, 'No server serves this database.');
  const { stdout } = await cli.run(['status'], { env });
  assert.match(stdout, /^No server answers on this machine/);
  assert.match((await cli.run(['doctor'], { env })).stdout, 'and empty: the first start creates the tables');
});

test('If one server serves a data folder, there are no nodes', async () => {
  const cli = new Cli();
  assert.match(await cli.failure(1, ['node', 'list']), /no nodes.*pushctl status.*\[store\] url/);
});

test('If the store of a data folder was moved, status and doctor name its new place', async () => {
  const cli = new Cli();
  await cli.populate((store) => store.createWorkspace({ slug: 'acme', name: 'Acme' }));
  const db = new Database(databasePath(cli.dataDir));
  db.prepare("INSERT INTO moved (id, place, at) VALUES (1, 'db.example.com/pushctl', 0)").run();
  db.close();
  for (const verb of ['status', 'doctor']) {
    const { exitCode, stdout } = await cli.run([verb]);
    assert.is(exitCode, 1);
    assert.match(
      stdout,
      /FAIL {2}database: .*was moved to db\.example\.com\/pushctl at 1970.*servers do not use it here/,
    );
  }
});

test('A configuration with the password of the database in it is for its owner alone', async () => {
  const url = new URL(await temporarySchema());
  url.password = 'secret';
  const cli = new Cli(`[store]\nurl = ${JSON.stringify(url.href)}\n`);
  assert.match(readFileSync(`${cli.folder}/pushctl.toml`, 'utf8'), 'secret');
  const { stdout } = await cli.run(['doctor']);
  assert.match(stdout, /FAIL {2}configuration: .*which contains the password of the database/);
  assert.not.match(stdout, 'secret');
});

test.run();
