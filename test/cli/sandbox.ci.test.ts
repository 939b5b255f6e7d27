import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROVIDERS } from '../../src/push.ts';
import { ADA } from '../support/cast.ts';
import { Cli, type RunningCli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';
import { until } from '../support/until.ts';

const test = suite('cli: sandbox');

test('The sandbox prints settings that point a server at it, and a server runs on them.', async () => {
  await using opened = new Resources();
  const cli = new Cli();
  const sandbox = cli.start(opened, ['sandbox', '--port', '0']);
  const { settings, token } = await printedBy(sandbox);

  const configured = new Cli(`listen = "127.0.0.1:0"\n${settings}`);
  const server = configured.start(opened, ['serve']);
  await server.waitFor(/listening/);
  const device = await addDevice(configured, token);
  const { event } = await configured.json<{ event: { public_id: string } }>(['device', 'test', device.id]);
  await sandbox.waitFor(new RegExp(`FCM took ${event.public_id}`));
  assert.is(await server.stop(), 0);
  assert.is(await sandbox.stop(), 0);
});

test('With --json the sandbox prints one document for its settings and one for each push.', async () => {
  await using opened = new Resources();
  const sandbox = new Cli().start(opened, ['sandbox', '--port', '0', '--json']);
  const [line] = await sandbox.waitFor(/^\{.*\}(?=\n)/m);
  const { settings, tokens, subscriptions, browsers } = JSON.parse(line) as Welcome;
  assert.match(settings.fcm.endpoint, /^https:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(Object.keys(tokens), ['ios_production', 'ios_sandbox', 'android']);
  assert.equal(Object.keys(subscriptions), PROVIDERS.webpush.routes);
  assert.match(String(subscriptions.webpush_google?.endpoint), /^https:\/\/fcm\.googleapis\.com\/fcm\/send\/[\w-]+$/);
  assert.match(String(browsers.firefox['dom.push.serverURL']), /^ws:\/\/127\.0\.0\.1:\d+\/$/);
  assert.match(String(browsers.chromium[0]), /^--gcm-checkin-url=https:\/\/127\.0\.0\.1:\d+\/checkin$/);
  assert.is(await sandbox.stop('SIGINT'), 0);
});

test('Outages are rehearsed: a fault from the start, others while it runs, and none again.', async () => {
  await using opened = new Resources();
  const cli = new Cli();
  const keys = join(cli.folder, 'keys');
  const fault = ['--credentials', keys, 'fault'];
  assert.match(await cli.failure(1, ['sandbox', ...fault]), 'no sandbox runs with its keys in');
  const sandbox = cli.start(opened, ['sandbox', '--port', '0', '--credentials', keys, '--fault', '500:fcm']);
  const { settings, token } = await printedBy(sandbox);

  const configured = new Cli(
    `listen = "127.0.0.1:0"\n[delivery]\nretry_busy_first = "50ms"\nretry_max = "200ms"\n${settings}`,
  );
  const server = configured.start(opened, ['serve']);
  await server.waitFor(/listening/);
  const device = await addDevice(configured, token);
  const pushed = async () => {
    const { event } = await configured.json<{ event: { public_id: string } }>(['device', 'test', device.id]);
    const shown = async () => JSON.stringify(await configured.json(['event', 'show', event.public_id]));
    return { id: event.public_id, shown };
  };
  const failing = await pushed();
  await until('it fails', async () => (await failing.shown()).includes('INTERNAL'));
  assert.equal(await cli.json(['sandbox', ...fault, 'hang:apns']), { faults: ['hang:apns'] });
  await sandbox.waitFor(new RegExp(`FCM took ${failing.id}`));
  assert.match(await cli.failure(2, ['sandbox', ...fault, 'stale=110%']), 'stale=110% is not a fault');
  assert.equal(await cli.json(['sandbox', ...fault, 'stale=100%:fcm']), { faults: ['stale=100%:fcm'] });
  const dead = await pushed();
  await until('the device is dead', async () => (await dead.shown()).includes('UNREGISTERED'));
  assert.equal(await cli.json(['sandbox', ...fault]), { faults: [] });
  assert.is(await server.stop(), 0);
  assert.is(await sandbox.stop(), 0);
});

test('Ports beyond the last one are a mistake, not a bug.', async () => {
  assert.match(await new Cli().failure(2, ['sandbox', '--port', '65530']), 'ports end at 65535');
});

test.run();

/** The settings that the sandbox prints for a server, and the token of its Android device. */
async function printedBy(sandbox: RunningCli): Promise<{ readonly settings: string; readonly token: string }> {
  await sandbox.waitFor(/Ctrl-C ends the sandbox\./);
  const settings = sandbox.output.slice(sandbox.output.indexOf('[apns]'), sandbox.output.indexOf('# Tokens'));
  const [, token = ''] = await sandbox.waitFor(/# android\n(\S+)/);
  return { settings, token };
}

/** In a new workspace, for its first member. */
async function addDevice(cli: Cli, token: string): Promise<{ readonly id: string }> {
  await cli.json(['workspace', 'create', 'acme']);
  await cli.json(['member', 'add', 'acme', ADA]);
  const add = ['device', 'add', 'acme', ADA, '--platform', 'android', '--token', token];
  return (await cli.json<{ device: { id: string } }>(add)).device;
}

interface Welcome {
  readonly settings: { readonly fcm: { readonly endpoint: string } };
  readonly tokens: object;
  readonly subscriptions: Readonly<Record<string, { readonly endpoint: string }>>;
  readonly browsers: { readonly firefox: Readonly<Record<string, string>>; readonly chromium: readonly string[] };
}
