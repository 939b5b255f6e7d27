import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inForm } from '../../src/contract/api-key.ts';
import { fromGo } from '../support/registries.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { aReceiver, runProgram } from './receiver.ts';

const shoutrrr = suite('shoutrrr');
const { folder, obstacle } = fromGo('github.com/nicholas-fedor/shoutrrr/shoutrrr@v0.13.2');
const withShoutrrr = skipWhere(obstacle, shoutrrr);

const TEXT = 'db-1 has 2 GB left';

function send(url: string, title: string): ReturnType<typeof runProgram> {
  return runProgram(join(folder, 'bin/shoutrrr'), ['send', '--url', url, '--title', title, '--message', TEXT]);
}

withShoutrrr('Shoutrrr reaches the device as it does ntfy, Mattermost and addresses for JSON', async () => {
  await using opened = new Resources();
  // It speaks to Mattermost at the root of a host, for which there is this other name of the address.
  const { key, nth, server } = await aReceiver(opened, '127.0.0.1', { PUSHCTL_SENDERS_HOSTS: 'localhost=slack' });
  const { host, port } = new URL(server.url);
  const addresses = [
    `ntfy://pushctl:${inForm('tk_', key)}@${host}/senders/ntfy/alerts?scheme=http&priority=high&tags=warning`,
    `generic://${host}/senders/json/alerts?template=json&disabletls=yes&@Authorization=Bearer+${key}`,
    `mattermost://localhost:${port}/${key}?disabletls=yes`,
  ];
  const shown = [];
  for (const [index, address] of addresses.entries()) {
    assert.is((await send(address, 'Disk full')).exitCode, 0, address);
    shown.push(await nth(index + 1));
  }
  assert.equal(
    shown.map(({ title, level }) => [title, level]),
    [
      ['⚠️ Disk full', 'warning'],
      ['Disk full', 'info'],
      // Its messages to Mattermost have no title: the channel's name stands there.
      ['alerts', 'info'],
    ],
  );
  for (const { body } of shown) assert.is(body, TEXT);
});

withShoutrrr('Shoutrrr loses what it cannot send, and says so', async () => {
  await using opened = new Resources();
  const { key, server, goAway, comeBack, nth } = await aReceiver(opened, '127.0.0.82');
  const address = `generic://${new URL(server.url).host}/senders/json/alerts?template=json&disabletls=yes&@Authorization=Bearer+${key}`;
  await goAway();
  const { exitCode, output } = await send(address, 'Lost');
  assert.is(exitCode, 69);
  assert.match(output, /connection refused/);
  await comeBack();
  assert.is((await send(address, 'Sent')).exitCode, 0);
  assert.is((await nth(1)).title, 'Sent');
});

shoutrrr.run();
