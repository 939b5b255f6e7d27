import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { androidToken } from '../support/android-token.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { clusterFolder, temporarySchema } from '../support/postgres.ts';
import { nodesOver } from '../support/postgres-nodes.ts';
import { Resources } from '../support/resources.ts';
import { valuesOf } from '../support/values-of.ts';
import { aWorkspace } from '../support/workspace.ts';

const test = suite('cli: a database that several machines share');

const EMAIL = 'ada@example.com';
const DEVICE = ['--platform', 'ios', '--token', 'a1'.repeat(32)];

/** `pushctl` on an empty database of its own. */
async function overPostgres(): Promise<{ readonly cli: Cli; readonly url: string }> {
  const url = await temporarySchema();
  return { cli: new Cli(`[store]\nurl = ${JSON.stringify(url)}\n`), url };
}

/** Reads the database directly, not through pushctl. */
async function asked(url: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

test('Commands work on it without a server, and leave the data folder alone', async () => {
  const { cli } = await overPostgres();
  await cli.json(['workspace', 'create', 'acme']);
  await cli.json(['channel', 'create', 'acme', 'alerts']);
  await cli.json(['member', 'add', 'acme', EMAIL, '--role', 'owner']);
  await cli.json(['device', 'add', 'acme', EMAIL, ...DEVICE, '--subscribe', 'alerts']);
  const { api_key } = await cli.json<{ api_key: { id: string } }>(['key', 'issue', 'acme']);
  const { channel } = await cli.json<{ channel: { device_count: number } }>(['channel', 'show', 'acme', 'alerts']);
  assert.is(channel.device_count, 1);
  await cli.json(['key', 'revoke', api_key.id]);
  await cli.json(['route', 'pause', 'fcm']);
  assert.match((await cli.run(['route', 'list'])).stdout, /fcm +paused/);
  const { entries } = await cli.json<{ entries: readonly { action: string; actor: object }[] }>(['audit']);
  assert.equal(valuesOf(entries, 'action'), [
    'route.pause',
    'key.revoke',
    'key.issue',
    'device.add',
    'member.add',
    'channel.create',
    'workspace.create',
  ]);
  await cli.json(['workspace', 'delete', 'acme', '--yes']);
  assert.equal(await cli.json(['workspace', 'list']), { workspaces: [] });
  assert.not(existsSync(cli.dataDir));
});

test('An import is all or nothing on it, too', async () => {
  const { cli } = await overPostgres();
  await cli.json(['workspace', 'create', 'acme']);
  await cli.json(['member', 'add', 'acme', EMAIL]);
  const lines = ['b2', 'c3'].map((byte) => JSON.stringify({ platform: 'ios', token: byte.repeat(32) }));
  const importing = ['device', 'import', 'acme', EMAIL, '-'];
  assert.match(await cli.failure(1, importing, { input: [...lines, '{}'].join('\n') }), 'nothing was imported');
  assert.equal(await cli.json(['device', 'list', 'acme']), { devices: [] });
  assert.equal(await cli.json(importing, { input: lines.join('\n') }), { imported: 2, updated: 0 });
  const { stdout } = await cli.run(['device', 'export', 'acme', '-']);
  assert.is(stdout.trim().split('\n').length, 2);
});

for (const verb of [['workspace', 'list'], ['key', 'revoke', 'abcdefghjkmn'], ['stats']]) {
  test(`\`${verb.join(' ')}\` makes no tables in an empty database, and says what to do`, async () => {
    const { cli, url } = await overPostgres();
    const message = await cli.failure(1, verb);
    assert.match(message, /is empty: pushctl has not used it yet\. .*pushctl workspace create.*\[store\] url/);
    const tables = await asked(url, 'SELECT 1 FROM pg_tables WHERE schemaname = current_schema()');
    assert.is(tables.length, 0);
  });
}

test('A schema of an older version is upgraded when that is asked for, and by no other command', async () => {
  const { cli, url } = await overPostgres();
  assert.match((await cli.run(['migrate', '--dry-run'])).stdout, /From schema 0 to \d+:\n {2}baseline\n/);
  const { upgraded } = await cli.json<{ upgraded: { from: number; to: number; backup: null } }>(['migrate']);
  const { to } = upgraded;
  assert.equal(upgraded, { from: 0, to, backup: null });
  assert.equal(await cli.json(['migrate']), { upgraded: null });
  await asked(url, "UPDATE function_file SET digest = 'older' WHERE file = 'accept.sql'");
  for (const verb of [
    ['workspace', 'list'],
    ['workspace', 'create', 'acme'],
  ]) {
    const message = await cli.failure(1, verb);
    assert.match(message, `has the functions of an older version, but this version of pushctl needs schema ${to}.`);
    assert.match(message, 'pushctl migrate');
  }
  const { plan } = await cli.json<{ plan: { migrations: readonly string[] } }>(['migrate', '--dry-run']);
  assert.equal(plan.migrations, ['accept.sql']);
  assert.equal(await cli.json(['migrate']), { upgraded: { from: to, to, backup: null } });
  await asked(url, `UPDATE pushctl_schema SET version = ${to + 1}, oldest = ${to + 1}`);
  const { exitCode, stdout } = await cli.run(['migrate', '--dry-run', '--json']);
  assert.is(exitCode, 1);
  assert.match(stdout, `"answer":{"oldest":${to + 1}}`, "the package's scripts read it");
});

test('Backups are for PostgreSQL to make and to restore, and nothing is touched', async () => {
  const { cli } = await overPostgres();
  assert.match(await cli.failure(1, ['backup', 'copy.db']), /data is in PostgreSQL.*pg_dump/);
  assert.match(await cli.failure(1, ['restore', 'copy.db']), /data is in PostgreSQL.*Stop every server/);
  assert.not(existsSync('copy.db'));
});

test('A command that loses the database on its way does not say that nothing was changed', async () => {
  await using opened = new Resources();
  const { cli, url } = await overPostgres();
  await cli.json(['migrate']);
  const proxy = await startDatabaseProxy(await clusterFolder());
  opened.onEnd(() => proxy.close());
  proxy.loseAnswerTo('INSERT INTO workspace');
  const env = { PUSHCTL_STORE_URL: proxy.url(new URL(url).searchParams.get('options') ?? '') };
  const message = await cli.failure(1, ['workspace', 'create', 'acme'], { env });
  assert.match(
    message,
    /connection to the database is lost.*It is not known whether this was done\. Check with a list command/,
  );
});

test('The first owner goes into it, and no command shows its password', async () => {
  const url = await temporarySchema();
  const withPassword = url.replace('postgres@', 'postgres:s3cret@');
  const cli = new Cli(`[store]\nurl = ${JSON.stringify(withPassword)}\n`);
  const file = join(cli.folder, 'pushctl.toml');
  const { stdout } = await cli.run(['init', '--force', '--listen', '127.0.0.1:0', '--owner', EMAIL, '--json']);
  assert.match(JSON.parse(stdout).settings['store.url'], 'postgres:***@localhost');
  assert.match(readFileSync(file, 'utf8'), 'postgres:s3cret@localhost');
  assert.is((await asked(url, "SELECT 1 FROM member WHERE role = 'owner'")).length, 1);
  for (const verb of [
    ['config', 'check'],
    ['config', 'show'],
    ['workspace', 'list'],
  ]) {
    for (const option of [[], ['--json']]) {
      const result = await cli.run([...verb, ...option]);
      assert.is(result.exitCode, 0);
      assert.not.match(stdout + result.stdout + result.stderr, 's3cret');
    }
  }
  assert.match((await cli.run(['config', 'check'])).stdout, /^ *database +postgres:\/\/postgres:\*\*\*@localhost/m);
});

test('Words are completed from the database, and nothing is printed if it cannot be reached', async () => {
  const { cli } = await overPostgres();
  const completed = async (words: readonly string[], env = {}) => {
    const { stdout, stderr } = await cli.run(['__complete', '--', ...words], { env });
    assert.is(stderr, '');
    return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
  };
  assert.equal(await completed(['workspace', 'show', '']), []);
  for (const slug of ['acme', 'beta']) await cli.json(['workspace', 'create', slug]);
  for (const slug of ['alerts', 'builds']) await cli.json(['channel', 'create', 'acme', slug]);
  await cli.json(['member', 'add', 'acme', EMAIL]);
  const phone = ['--platform', 'android', '--token', androidToken('Pixel')];
  const { device } = await cli.json<{ device: { id: string } }>(['device', 'add', 'acme', EMAIL, ...phone]);
  const env = { PUSHCTL_FCM_SERVICE_ACCOUNT_FILE: 'missing.json' };
  const { event } = await cli.json<{ event: { public_id: string } }>(['device', 'test', device.id], { env });
  const { api_key } = await cli.json<{ api_key: { id: string } }>(['key', 'issue', 'acme']);
  assert.equal(await completed(['workspace', 'show', 'a']), ['acme']);
  assert.equal(await completed(['channel', 'delete', 'acme', '']), ['alerts', 'builds']);
  assert.equal(await completed(['send', 'b']), ['builds']);
  assert.equal(await completed(['device', 'list', 'acme', '--channel', 'x']), []);
  assert.equal(await completed(['member', 'rename', 'a']), [EMAIL]);
  assert.equal(await completed(['device', 'import', 'beta', 'a']), []);
  assert.equal(await completed(['device', 'remove', 'dev_']), [device.id]);
  assert.equal(await completed(['event', 'cancel', '']), [event.public_id]);
  assert.equal(await completed(['key', 'revoke', '']), [api_key.id]);
  const unreachable = { PUSHCTL_STORE_URL: 'postgres://pushctl@localhost/push?host=/nowhere' };
  assert.equal(await completed(['workspace', 'show', ''], unreachable), []);
});

test('If no server runs on this machine, routes show only what operators paused', async () => {
  const { cli, url } = await overPostgres();
  await cli.json(['migrate']);
  const { stdout } = await cli.run(['route', 'list']);
  assert.match(stdout, 'No server runs on this machine.');
  assert.match(stdout, /fcm +unknown/);
  assert.match(
    await cli.failure(1, ['tail']),
    /nothing to watch\. Each server shows only its own pushes, on its machine/,
  );
  const [node] = await nodesOver(url, 1);
  const workspace = node && (await aWorkspace(node.calls, { devices: { ios: 1 } }));
  const accepted = await workspace?.accept();
  assert.match(
    (await cli.run(['event', 'show', accepted?.event.public_id ?? ''])).stdout,
    /^No push was tried yet\.$/m,
  );
  await node?.store.close();
});

test('Beside a broken file, or without the file of the password, the running server is asked', async () => {
  await using opened = new Resources();
  const { cli } = await overPostgres();
  const file = join(cli.folder, 'pushctl.toml');
  const good = `listen = "127.0.0.1:0"\n${readFileSync(file, 'utf8')}`;
  writeFileSync(file, good);
  await cli.json(['workspace', 'create', 'acme']);
  await cli.start(opened, ['serve']).waitFor(/listening/);
  for (const [text, expected] of [
    [`${good}[delivery]\nttl = "soon"\n`, /line 5: delivery\.ttl is "soon"/],
    [`${good}password_file = "password"\n`, /password, named by store\.password_file, does not exist/],
  ] as const) {
    writeFileSync(file, text);
    for (const args of [
      ['workspace', 'list'],
      ['event', 'list', 'acme'],
      ['status', '--alive'],
      ['route', 'pause', 'fcm'],
    ]) {
      const { exitCode, stderr } = await cli.run(args);
      assert.is(exitCode, 0, stderr);
      assert.match(stderr, expected);
      assert.match(stderr, 'The running server still has the old configuration');
    }
    assert.match((await cli.run(['status'])).stdout, expected);
  }
});

test.run();
