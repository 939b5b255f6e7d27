import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROVIDERS } from '../../src/push.ts';
import { ADA } from '../support/cast.ts';
import { Cli } from '../support/cli.ts';
import { Opened } from '../support/opened.ts';

const test = suite('cli: sandbox');

test('The sandbox prints settings that point a server at it, and a server runs on them.', async () => {
  await using opened = new Opened();
  const cli = new Cli();
  const sandbox = cli.start(opened, ['sandbox', '--port', '0']);
  await sandbox.waitFor(/Ctrl-C ends it\./);
  const settings = sandbox.output.slice(sandbox.output.indexOf('[apns]'), sandbox.output.indexOf('# Tokens'));
  const [, token = ''] = await sandbox.waitFor(/# android\n(\S+)/);

  const configured = new Cli(`listen = "127.0.0.1:0"\n${settings}`);
  const server = configured.start(opened, ['serve']);
  await server.waitFor(/listening/);
  await configured.json(['workspace', 'create', 'acme']);
  await configured.json(['member', 'add', 'acme', ADA]);
  const add = ['device', 'add', 'acme', ADA, '--platform', 'android', '--token', token];
  const { device } = await configured.json<{ device: { id: string } }>(add);
  const { event } = await configured.json<{ event: { public_id: string } }>(['device', 'test', device.id]);
  await sandbox.waitFor(new RegExp(`FCM took ${event.public_id}`));
  assert.is(await server.stop(), 0);
  assert.is(await sandbox.stop(), 0);
});

test('With --json the sandbox prints one document for its settings and one for each push.', async () => {
  await using opened = new Opened();
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

test.run();

interface Welcome {
  readonly settings: { readonly fcm: { readonly endpoint: string } };
  readonly tokens: object;
  readonly subscriptions: Readonly<Record<string, { readonly endpoint: string }>>;
  readonly browsers: { readonly firefox: Readonly<Record<string, string>>; readonly chromium: readonly string[] };
}
