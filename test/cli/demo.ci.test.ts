import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { Cli, type RunningCli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { until } from '../support/until.ts';

const test = suite('cli: demo');
const withCurl = skipWhere(spawnSync('curl', ['--version']).error ? 'needs curl' : null, test);
const EVENT = /Posted (evt_[0-9a-z]{26}) to 2 devices/;

test('The demo posts an event, shows both pushes and the next command, and ends cleanly on SIGTERM.', async () => {
  await using opened = new Resources();
  const cli = new Cli();
  const demo = cli.start(opened, ['demo', '--port', '0']);
  const eventId = await bothPushes(demo);
  const [, curl] = await demo.waitFor(/^curl (.*)$/m);
  assert.match(curl ?? '', `${await addressOf(demo)}/v1/events -H 'Authorization: Bearer pctl_`);
  // A command is copied whole, and a push is one line for programs.
  const sentences = demo.output.split('\n').filter((line) => !/^(Data folder|curl|APNs|FCM) /.test(line));
  assert.equal(
    sentences.filter((line) => line.length > 80),
    [],
  );
  assert.is(statSync(join(cli.dataDir, 'demo-key')).mode & 0o777, 0o600);

  // The command line tool speaks to the running demo.
  await until('both pushes are settled', async () => {
    const { deliveries } = await cli.json<{ deliveries: { state: string }[] }>(['event', 'show', eventId]);
    return deliveries.filter(({ state }) => state === 'accepted').length === 2;
  });
  assert.is(await demo.stop('SIGTERM'), 0);
});

withCurl('The curl line of README pushes to both devices of the demo.', async () => {
  await using opened = new Resources();
  const cli = new Cli();
  const demo = cli.start(opened, ['demo', '--port', '0']);
  await bothPushes(demo);
  const [line = ''] = /^curl .*$/m.exec(readFileSync(packagePath('README.md'), 'utf8')) ?? [];
  const here = line.replace('http://127.0.0.1:8080', (await addressOf(demo)).replace(/\/api$/, ''));
  const key = readFileSync(join(cli.dataDir, 'demo-key'), 'utf8').trim();
  await promisify(execFile)('sh', ['-c', here], { env: { ...process.env, PUSHCTL_API_KEY: key } });
  await demo.waitFor(/APNs sandbox took .*Disk full on db-1/);
  await demo.waitFor(/FCM took .*Disk full on db-1/);
  assert.is(await demo.stop(), 0);
});

test('A demo that runs again has the same devices and key, and an event posted with `send` arrives.', async () => {
  await using opened = new Resources();
  const cli = new Cli();
  const first = cli.start(opened, ['demo', '--port', '0']);
  await bothPushes(first);
  const key = readFileSync(join(cli.dataDir, 'demo-key'), 'utf8');
  assert.is(await first.stop('SIGINT'), 0);

  const second = cli.start(opened, ['demo', '--port', '0']);
  await bothPushes(second);
  assert.is(readFileSync(join(cli.dataDir, 'demo-key'), 'utf8'), key);
  const server = ['--server', await addressOf(second)];
  const options = ['--description', 'By hand', '--level', 'error', '--idempotency-key', 'once', ...server];
  const send = ['send', 'hello', 'Again', '--key-file', join(cli.dataDir, 'demo-key'), ...options];
  const { event } = await cli.json<{ event: { public_id: string; target_device_count: number } }>(send);
  assert.is(event.target_device_count, 2);
  await second.waitFor(new RegExp(`FCM took ${event.public_id}.*Again: By hand`));
  assert.equal(await cli.json(send), { event, replayed: true, body_differs: false });
  const other = await cli.run([...send, '--event-type', 'other']);
  assert.match(other.stdout, /^Already known: /);
  assert.match(other.stderr, /another body/);
  const check = await cli.json([...send.slice(0, -4), ...server, '--validate-only']);
  assert.equal(check, { valid: true, target_device_count: 2, unknown_fields: [] });

  const refused = await cli.run([...send.slice(0, 1), 'helo', ...send.slice(2)]);
  assert.is(refused.exitCode, 0, 'a known idempotency key answers whatever the channel');
  const unknown = await cli.failure(1, [
    'send',
    'nowhere',
    'Hi',
    '--key-file',
    join(cli.dataDir, 'demo-key'),
    ...server,
  ]);
  assert.match(unknown, /^pushctl: the service answered 404: /);
  assert.is(await second.stop(), 0);
});

test('On a taken port the demo says so and takes the next one.', async () => {
  await using opened = new Resources();
  const blocker = createServer().listen(0, '127.0.0.1');
  opened.onEnd(() => blocker.close());
  await once(blocker, 'listening');
  const { port } = blocker.address() as { port: number };
  const demo = new Cli().start(opened, ['demo', '--port', String(port)]);
  await demo.waitFor(new RegExp(`Port ${port} is taken, trying ${port + 1}\\.`));
  await bothPushes(demo);
  assert.is(await demo.stop(), 0);
});

test('A second demo on the same folder says who holds it.', async () => {
  await using opened = new Resources();
  const cli = new Cli();
  const first = cli.start(opened, ['demo', '--port', '0']);
  await bothPushes(first);
  const second = await cli.run(['demo', '--port', '0']);
  assert.is(second.exitCode, 1);
  assert.match(second.stderr, /^pushctl: .* is in use by `pushctl demo`/);
  assert.is(await first.stop(), 0);
});

test('Two demos that start together take a folder each, if none was named.', async () => {
  await using opened = new Resources();
  const cli = new Cli();
  const demos = [1, 2].map(() => cli.start(opened, ['demo', '--port', '0'], { PUSHCTL_DATA_DIR: '' }));
  await Promise.all(demos.map(bothPushes));
  const folders = await Promise.all(demos.map((demo) => demo.waitFor(/^Data folder +(.+)$/m)));
  assert.equal(folders.map(([, folder = '']) => basename(folder)).sort(), ['pushctl-demo', 'pushctl-demo-2']);
  assert.equal(await Promise.all(demos.map((demo) => demo.stop())), [0, 0]);
});

test('A second demo beside another takes a folder of its own, if none was named.', async () => {
  await using opened = new Resources();
  const cli = new Cli();
  const ownData = { PUSHCTL_DATA_DIR: '' };
  const first = cli.start(opened, ['demo', '--port', '0'], ownData);
  await bothPushes(first);
  const second = cli.start(opened, ['demo', '--port', '0'], ownData);
  await second.waitFor(/pushctl-demo\/sandbox is in use by `pushctl demo` .*\. Trying \S+pushctl-demo-2\.\n/);
  await bothPushes(second);
  assert.equal(await Promise.all([first.stop(), second.stop()]), [0, 0]);
});

test('Lists of processes show a name and no arguments.', async () => {
  await using opened = new Resources();
  const cli = new Cli();
  const demo = cli.start(opened, ['demo', '--port', '0']);
  await bothPushes(demo);
  const { pid } = JSON.parse(readFileSync(join(cli.dataDir, 'owner.json'), 'utf8')) as { pid: number };
  assert.is(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, ''), 'pushctl');
  assert.is(await demo.stop(), 0);
});

/** Returns the address of its API. */
async function addressOf(demo: RunningCli): Promise<string> {
  const [, address = ''] = await demo.waitFor(/^API +(http:\/\/127\.0\.0\.1:[1-9]\d*\/api)$/m);
  return address;
}

/** Waits until the posted event has arrived at both devices, and answers its public id. */
async function bothPushes(demo: RunningCli): Promise<string> {
  const [, eventId = ''] = await demo.waitFor(EVENT);
  await demo.waitFor(new RegExp(`APNs sandbox took ${eventId}`));
  await demo.waitFor(new RegExp(`FCM took ${eventId}`));
  return eventId;
}

test.run();
