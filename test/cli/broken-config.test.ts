import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Status } from '../../src/cli/status/collect.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';
import { Resources } from '../support/resources.ts';
import { untilIs } from '../support/until.ts';

const test = suite('cli: a broken configuration beside a running server');

const GOOD = 'listen = "127.0.0.1:0"\n[webpush]\ncontact = "mailto:ops@example.com"\n';
const STILL = /The running server still has the old configuration/;

/** Each way to break the file, with what is said of it. */
const BROKEN: Readonly<Record<string, readonly [text: string, expected: RegExp]>> = {
  'a syntax error': ['# first\nlisten = 127.0.0.1:0\n', /pushctl\.toml:2:\d+: /],
  'an unknown key': [`${GOOD}kontact = "x"\n`, /has a mistake\n {2}line 4: webpush\.kontact: no such setting/],
  'an invalid value': ['listen = "127.0.0.1:0"\n\n[delivery]\nttl = "soon"\n', /line 4: delivery\.ttl is "soon"/],
  'two mistakes': [`lisen = "x"\n${GOOD}[delivery]\nttl = "soon"\n`, /has 2 mistakes\n {2}line 1: .*\n {2}line 6: /],
};

async function teamWithServer(opened: Resources, config = GOOD, env: Readonly<Record<string, string>> = {}) {
  const cli = new Cli(config);
  await cli.json(['workspace', 'create', 'acme']);
  await cli.json(['channel', 'create', 'acme', 'alerts']);
  const server = cli.start(opened, ['serve'], env);
  await server.waitFor(/listening/);
  return { cli, server };
}

test('Commands that a running server can answer go on beside a broken file, and say what is wrong and where.', async () => {
  await using opened = new Resources();
  const { cli } = await teamWithServer(opened, GOOD.replace(':0', `:${await freePort()}`));
  const file = join(cli.folder, 'pushctl.toml');
  const key = join(cli.folder, 'key');
  const { key: secret } = await cli.json<{ key: string }>([
    ...['key', 'issue', 'acme', '--name', 'ci', '--scope', 'events:write'],
  ]);
  writeFileSync(key, secret);
  for (const [way, [text, expected]] of Object.entries(BROKEN)) {
    writeFileSync(file, text);
    for (const args of [
      ['status', '--alive'],
      ['event', 'list', 'acme'],
      ['stats'],
      ['route', 'list'],
      ['workspace', 'show', 'acme'],
      ['backup', join(cli.folder, `${way}.db`)],
      ['send', 'alerts', 'Still here', '--key-file', key],
      ['channel', 'create', 'acme', way.replaceAll(' ', '-')],
    ]) {
      const { exitCode, stderr } = await cli.run(args);
      assert.is(exitCode, 0, `${way}: ${args.join(' ')}: ${stderr}`);
      assert.match(stderr, expected, args.join(' '));
      assert.match(stderr, STILL);
      assert.match(stderr, `It was asked on ${cli.dataDir} (PUSHCTL_DATA_DIR)`);
    }
    const { exitCode, stdout, stderr } = await cli.run(['status', '--json']);
    assert.is(exitCode, 1);
    assert.is(stderr, '');
    const { server, warnings } = JSON.parse(stdout) as Status;
    assert.ok(server);
    const [finding, ...rest] = warnings.filter(({ check }) => check === 'configuration');
    assert.equal(rest, []);
    assert.match(finding?.message ?? '', expected);
    assert.match(finding?.message ?? '', STILL);
    const doctor = (await cli.run(['doctor'])).stdout;
    assert.match(doctor, /^FAIL {2}configuration: [\s\S]*^ok +server: runs and answers/m);
    assert.not.match(doctor, /^ok +configuration/m);
    const checked = await cli.failure(2, ['config', 'check']);
    assert.match(checked, STILL);
    assert.not.match(checked, 'nothing was started');
    assert.not.match(await cli.failure(2, ['serve']), STILL);
  }
});

test('The live view works beside a broken file.', async () => {
  await using opened = new Resources();
  const { cli, server } = await teamWithServer(opened);
  writeFileSync(join(cli.folder, 'pushctl.toml'), 'listen = ');
  const tail = cli.start(opened, ['tail', '--json']);
  await tail.waitFor(STILL);
  await untilIs('the view to be connected', () => connectionsTo(join(cli.dataDir, 'pushctl.sock')), 1);
  // The server answers in order, so it has taken the view's request by now.
  await cli.run(['status', '--alive']);
  await server.stop();
  await tail.waitFor(/the server has stopped; waiting for it/);
});

test('The data folder is found by the option, the variable, the file or the default, and named with its source.', async () => {
  await using opened = new Resources();
  const { cli } = await teamWithServer(opened);
  const file = join(cli.folder, 'pushctl.toml');
  const env = { PUSHCTL_DATA_DIR: '' };
  writeFileSync(file, `data_dir = "data"\nlisten = nothing\n[delivery]\ndata_dir = "elsewhere"\n`);
  assert.match((await cli.run(['stats'], { env })).stderr, `${cli.dataDir} (data_dir in the file)`);

  writeFileSync(file, 'data_dir = data\n');
  const byOption = await cli.run(['--data-dir', cli.dataDir, 'stats'], { env });
  assert.match(byOption.stderr, `${cli.dataDir} (--data-dir)`);
  assert.is(byOption.exitCode, 0);
  assert.not.match(await cli.failure(2, ['stats'], { env }), STILL, 'no server runs on the default folder');
  const home = await cli.run(['stats'], { env: { ...env, STATE_DIRECTORY: cli.dataDir } });
  assert.match(home.stderr, `${cli.dataDir} (the default)`);

  const missing = { ...env, STATE_DIRECTORY: cli.dataDir, PUSHCTL_CONFIG: `${file}.old` };
  for (const args of [['stats'], ['config', 'check']]) {
    const failure = await cli.failure(2, args, { env: missing });
    assert.match(failure, /the file does not exist/, 'another may be meant');
    assert.not.match(failure, STILL, 'another server may be meant');
  }
  const named = { env: { PUSHCTL_CONFIG: `${file}.old` } };
  const checked = await cli.failure(2, ['config', 'check'], named);
  for (const text of [checked, (await cli.run(['stats'], named)).stderr]) {
    assert.match(text, STILL);
    assert.match(text, /the file does not exist/);
  }
});

test('The check shows what a restart would change, and no secret.', async () => {
  await using opened = new Resources();
  const ping = 'https://hc.example.com/ping/';
  const { cli } = await teamWithServer(opened, `${GOOD}[watchdog]\nurl = "${ping}first-secret"\nevery = "1h"\n`);
  const file = join(cli.folder, 'pushctl.toml');
  assert.match((await cli.run(['config', 'check'])).stdout, /^The running server has the same configuration\.$/m);

  writeFileSync(
    file,
    `listen = "[::1]:8081"\n[delivery]\nttl = "12h"\n[limits]\nbodies_memory = "128MiB"\n[watchdog]\nurl = "${ping}next-secret"\nevery = "60m"\n`,
  );
  const { stdout } = await cli.run(['config', 'check']);
  assert.match(stdout, /^The running server has another configuration\. A restart applies this one:$/m);
  assert.match(stdout, /^listen +127\.0\.0\.1:0 +\[::1\]:8081$/m);
  assert.match(stdout, /^delivery\.ttl +\S+ +12h$/m);
  assert.match(stdout, /^limits\.bodies_memory +\S+ +128MiB$/m);
  assert.match(stdout, /^watchdog\.url +differs \(not shown\) +differs \(not shown\)$/m);
  assert.match(stdout, /^webpush\.contact +mailto:ops@example\.com +not set$/m);
  assert.not.match(stdout, /-secret|watchdog\.every|data_dir/);

  const { stdout: document } = await cli.run(['config', 'check', '--json']);
  const { running } = JSON.parse(document) as { running: { differences: readonly { setting: string }[] } };
  assert.ok(running.differences.some(({ setting }) => setting === 'watchdog.url'));

  const inEnvironment = { PUSHCTL_LIMITS_BODIES_MEMORY: '96MiB' };
  const other = await teamWithServer(opened, GOOD, inEnvironment);
  assert.match((await other.cli.run(['config', 'check'])).stdout, /^The running server has the same configuration\.$/m);

  const alone = new Cli(GOOD);
  assert.match((await alone.run(['config', 'check'])).stdout, /^No server runs on this data folder/m);
});

test('A file that cannot be read stops no command that the server can answer.', async () => {
  await using opened = new Resources();
  const { cli } = await teamWithServer(opened);
  const file = join(cli.folder, 'pushctl.toml');
  writeFileSync(file, Buffer.from([0x23, 0xff, 0xfe]));
  assert.match((await cli.run(['event', 'list', 'acme'])).stderr, /is not UTF-8 text\n.*still has the old/);
  if (process.getuid?.() === 0) return;
  chmodSync(file, 0);
  assert.match((await cli.run(['event', 'list', 'acme'])).stderr, /cannot be read|cannot read/);
});

test.run();

/** Returns how many connections the server has on its socket. */
function connectionsTo(path: string): number {
  const sockets = readFileSync('/proc/net/unix', 'utf8').split('\n');
  return sockets.filter((line) => / 03 +\d+ /.test(line) && line.endsWith(` ${path}`)).length;
}
