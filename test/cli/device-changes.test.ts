import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Device } from '../../src/store/calls.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA, BOB } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';
import { valuesOf } from '../support/values-of.ts';
import { aWorkspace } from '../support/workspace.ts';

const test = suite('cli: device subscribe, unsubscribe, move');

test('A device is subscribed, unsubscribed and moved, with no server and through a running one.', async () => {
  await using opened = new Resources();
  const cli = new Cli('listen = "127.0.0.1:0"');
  await cli.populate(async (store) => {
    const acme = await aWorkspace(store, { channels: ['builds', 'alerts'] });
    await acme.join(BOB);
  });
  const add = ['device', 'add', 'acme', ADA, '--platform', 'android', '--token', androidToken('Pixel')];
  const { id } = (await cli.json<{ device: Device }>(add)).device;
  const change = async (...args: string[]) => (await cli.json<{ device: Device }>(['device', ...args])).device;

  assert.equal((await change('subscribe', id, 'builds', 'alerts', 'builds')).channels, ['alerts', 'builds']);
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  assert.equal((await change('unsubscribe', id, 'alerts', '--workspace', 'acme')).channels, ['builds']);
  const { stdout } = await cli.run(['device', 'move', id, BOB]);
  assert.match(stdout, /of ada@example\.com is bob@example\.com's now\.\nID .*\n.* builds$/m);
  assert.match((await cli.run(['device', 'move', id, BOB])).stdout, /is bob@example\.com's already/);
  const { devices } = await cli.json<{ devices: Device[] }>(['device', 'list', 'acme', '--email', BOB]);
  assert.equal(valuesOf(devices, 'channels'), [['builds']]);
});

test.run();
