import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiKey, Device, ShownChannel } from '../../src/store/calls.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { valuesOf } from '../support/values-of.ts';
import { aWorkspace } from '../support/workspace.ts';

const test = suite('cli: channel show, channel subscribers, key list');

test('A channel is shown with its devices by route, its keys and its latest event.', async () => {
  const cli = await aTeam();
  const keys = ['key', 'issue', 'acme', '--channel', 'builds', '--name'];
  const { api_key } = await cli.json<{ api_key: ApiKey }>([...keys, 'ci']);
  const revoked = await cli.json<{ api_key: ApiKey }>([...keys, 'old']);
  await cli.json(['key', 'revoke', revoked.api_key.id]);
  const { channel } = await cli.json<{ channel: ShownChannel }>(['channel', 'show', 'acme', 'builds']);
  const { created_at, ...rest } = channel;
  assert.match(created_at, /^\d{4}-\d\d-\d\dT/);
  assert.equal(rest, {
    slug: 'builds',
    name: 'Builds',
    status: 'active',
    device_count: 3,
    insist: null,
    quiet: null,
    rings: null,
    routes: [
      { route: 'apns_production', devices: 1 },
      { route: 'fcm', devices: 2 },
    ],
    bound_keys: [{ id: api_key.id, name: 'ci' }],
    last_event_at: null,
  });
  const { stdout } = await cli.run(['channel', 'show', 'acme', 'builds']);
  assert.match(stdout, /^devices +3 active devices: 1 by apns_production, 2 by fcm$/m);
  assert.match(await cli.failure(1, ['channel', 'show', 'acme', 'build']), 'The nearest is "builds"');
});

test('The subscribers of a channel are listed with their owners, also through a running server.', async () => {
  await using opened = new Resources();
  const cli = await aTeam();
  const list = ['channel', 'subscribers', 'acme', 'builds'];
  const { devices } = await cli.json<{ devices: (Device & { email: string })[] }>(list);
  assert.equal(
    devices.map(({ email, platform, channels }) => [email, platform, channels]),
    [
      [ADA, 'ios', ['builds']],
      [ADA, 'android', ['builds']],
      [ADA, 'android', ['builds']],
    ],
  );
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  assert.match((await cli.run(list)).stdout, /^MEMBER +ID .*\nada@example\.com +dev_/);
  await cli.json(['channel', 'create', 'acme', 'empty']);
  assert.match((await cli.run(['channel', 'subscribers', 'acme', 'empty'])).stdout, 'pushctl device subscribe');
  assert.match(await cli.failure(1, ['channel', 'subscribers', 'acme', 'build']), 'The nearest is "builds"');
});

test('Without a workspace the keys of all are listed, and whose they are.', async () => {
  const cli = await aTeam();
  assert.match((await cli.run(['key', 'list'])).stdout, 'No keys yet.');
  await cli.json(['workspace', 'create', 'beta']);
  for (const [workspace, name] of [
    ['beta', 'b'],
    ['acme', 'a'],
  ] as const) {
    await cli.json(['key', 'issue', workspace, '--name', name]);
  }
  const { api_keys } = await cli.json<{ api_keys: (ApiKey & { workspace: string })[] }>(['key', 'list']);
  assert.equal(valuesOf(api_keys, 'workspace', 'name'), ['acme a', 'beta b']);
  assert.match((await cli.run(['key', 'list'])).stdout, /^WORKSPACE {2}ID .*\nacme {7}[0-9a-z]{12} {2}a /);
});

test.run();

/** A workspace whose channel `builds` has an iPhone and two Androids. */
async function aTeam(): Promise<Cli> {
  const cli = new Cli('listen = "127.0.0.1:0"');
  const devices = [
    { platform: 'android', token: androidToken(1) },
    { platform: 'ios', token: 'ab'.repeat(32) },
    { platform: 'android', token: androidToken(2) },
  ] as const;
  await cli.populate(async (store) => {
    const acme = await aWorkspace(store, { channels: [] });
    granted(await store.createChannel({ workspace: 'acme', slug: 'builds', name: 'Builds' }));
    for (const device of devices) await acme.addDevice({ ...device, subscribe: ['builds'] });
  });
  return cli;
}
