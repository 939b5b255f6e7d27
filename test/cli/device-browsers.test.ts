import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Device } from '../../src/store/calls.ts';
import { browserKeys } from '../support/browser-keys.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';

const KEYS = browserKeys();
const SUBSCRIPTION = { endpoint: 'https://web.push.apple.com/QGuQ', expirationTime: null, keys: KEYS };
const ADD = ['device', 'add', 'acme', ADA, '--platform', 'web', '--subscription'];

const test = suite('cli: devices that are browsers');

test('A browser is added by the file of its subscription, listed with its push service, and updated.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const file = fileOf(cli, JSON.stringify(SUBSCRIPTION));
  const { device } = await cli.json<{ device: Device }>([...ADD, file, '--subscribe', 'builds', '--name', 'Safari']);
  const { platform, push_service, name, channels } = device;
  assert.equal([platform, push_service, name, channels], ['web', 'web.push.apple.com', 'Safari', ['builds']]);
  const again = await cli.json<{ device: Device }>([...ADD, '-'], { input: `\uFEFF${JSON.stringify(SUBSCRIPTION)}\n` });
  assert.is(again.device.id, device.id);
  const { stdout } = await cli.run(['device', 'list', 'acme']);
  assert.match(stdout, 'web (web.push.apple.com)');
  assert.not.match(stdout, 'QGuQ');
});

test('A file that is no subscription is refused, and no part of it is shown.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const cases: [exitCode: 1 | 2, text: string, says: string][] = [
    [1, '{"endpoint": "https://hush7', 'is not JSON'],
    [1, '', 'is not JSON'],
    [1, ' '.repeat(20_000), 'has more than 16384 bytes'],
    [2, '"hush7"', 'The subscription must be an object with endpoint and keys'],
    [2, '{"endpoint": "http://hush7"}', 'The subscription.endpoint must be an https address'],
    [2, JSON.stringify({ ...SUBSCRIPTION, endpoint: 'https://hush7.example.com/hush7' }), 'at a known push service'],
    [2, JSON.stringify({ ...SUBSCRIPTION, keys: { auth: 'hush7' } }), 'The subscription.keys.p256dh must be'],
  ];
  for (const [exitCode, text, says] of cases) {
    const message = await cli.failure(exitCode, [...ADD, fileOf(cli, text)]);
    assert.match(message, says);
    assert.not.match(message, 'hush7');
  }
  assert.match(await cli.failure(1, [...ADD, '/nowhere']), 'cannot read /nowhere (ENOENT)');
  assert.match(await cli.failure(1, [...ADD, cli.folder]), `cannot read ${cli.folder} (EISDIR)`);
  assert.equal(await cli.json(['device', 'list', 'acme']), { devices: [] });
});

test('A browser has a subscription, an app a token, and no device neither or both.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const file = fileOf(cli, JSON.stringify(SUBSCRIPTION));
  assert.match(await cli.failure(2, ADD.slice(0, -1)), 'pass --token, or --subscription for a browser');
  assert.match(await cli.failure(2, [...ADD, file, '--token', 'ab'.repeat(32)]), "cannot be used with option '--token");
  const web = ['device', 'add', 'acme', ADA, '--platform', 'web', '--token', 'ab'.repeat(32)];
  assert.match(await cli.failure(2, web), 'a browser has a subscription');
  const ios = ['device', 'add', 'acme', ADA, '--platform', 'ios', '--subscription', file];
  assert.match(await cli.failure(2, ios), 'The token is required.');
});

test('Browsers are imported and exported as their subscriptions.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const { endpoint } = SUBSCRIPTION;
  const lines = [
    { platform: 'web', subscription: SUBSCRIPTION, name: 'Safari', subscribe: ['builds'] },
    { platform: 'web', subscription: { endpoint: `${endpoint}2`, keys: KEYS } },
  ];
  const input = lines.map((line) => JSON.stringify(line)).join('\n');
  assert.equal(await cli.json(['device', 'import', 'acme', ADA, '-'], { input }), { imported: 2, updated: 0 });
  const { stdout } = await cli.run(['device', 'export', 'acme', '-']);
  assert.equal(
    stdout.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line))),
    [
      { platform: 'web', subscription: { endpoint, keys: KEYS }, name: 'Safari', subscribe: ['builds'] },
      { platform: 'web', subscription: { endpoint: `${endpoint}2`, keys: KEYS }, name: 'Browser', subscribe: [] },
    ],
  );
  assert.equal(await cli.json(['device', 'import', 'acme', ADA, '-'], { input: stdout }), { imported: 0, updated: 2 });
});

test('A line with a wrong subscription is named, and nothing of it is shown.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const wrong = { ...SUBSCRIPTION, endpoint: 'https://hush7.example.com/' };
  const input = JSON.stringify({ platform: 'web', subscription: wrong });
  const message = await cli.failure(1, ['device', 'import', 'acme', ADA, '-'], { input });
  assert.match(message, 'line 1: The subscription.endpoint field must be at a known push service');
  assert.not.match(message, 'hush7');
});

test.run();

function fileOf(cli: Cli, text: string): string {
  const file = join(cli.folder, 'subscription.json');
  writeFileSync(file, text);
  return file;
}
