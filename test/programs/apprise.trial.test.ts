import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inForm } from '../../src/contract/api-key.ts';
import { fromPypi } from '../support/registries.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { aReceiver, type Receiver, runProgram, startProgram } from './receiver.ts';

const ADDRESS = '127.0.0.84';
const TEXT = 'no space left on device';

const DEBIANS = 'apprise';
const isThere = spawnSync(DEBIANS, ['--version']).error === undefined;
const pypi = fromPypi('apprise==2.2.0');

const apprise = suite('apprise');
const withDebians = skipWhere(isThere ? null : `needs ${DEBIANS}, Debian's package of that name`, apprise);
const withPypis = skipWhere(pypi.obstacle, apprise);

const PROGRAMS = [
  { name: "Debian's Apprise", program: DEBIANS, withIt: withDebians },
  { name: "PyPI's Apprise", program: join(pypi.folder, 'bin/apprise'), withIt: withPypis },
];

for (const { name, program, withIt } of PROGRAMS) {
  withIt(`${name} reaches the device as it does ntfy, Gotify, Mattermost and addresses for JSON`, async () => {
    await using opened = new Resources();
    // It speaks to ntfy at the root of a host, for which there is this other name of the address.
    const receiver = await aReceiver(opened, '127.0.0.1', { PUSHCTL_SENDERS_HOSTS: 'localhost=ntfy' });
    const { key, server } = receiver;
    const { host, port } = new URL(server.url);
    const addresses = [
      `ntfy://pushctl:${inForm('tk_', key)}@localhost:${port}/alerts?priority=high`,
      `gotify://${host}/senders/gotify/${inForm('gtfya.', key)}?priority=high`,
      `mmost://${host}/senders/slack/${key}`,
      `json://pushctl:${key}@${host}/senders/json/alerts`,
    ];
    for (const [index, address] of addresses.entries()) {
      const title = `Backup ${index + 1} failed`;
      const { exitCode, output } = await runProgram(program, [...saying(title), address]);
      assert.is(exitCode, 0, output);
      const { title: shown, body } = await receiver.nth(index + 1);
      assert.equal([shown, body], [title, TEXT]);
    }
  });

  withIt(`${name} loses what it cannot send, and says so`, async () => {
    await using opened = new Resources();
    const receiver = await aReceiver(opened, ADDRESS);
    await receiver.goAway();
    assert.is((await runProgram(program, [...saying('Lost'), addressIn(receiver)])).exitCode, 1);
    await receiver.comeBack();
    assert.is((await runProgram(program, [...saying('Sent'), addressIn(receiver)])).exitCode, 0);
    assert.is((await receiver.nth(1)).title, 'Sent');
  });
}

withPypis("PyPI's Apprise tries again if its address says so, until the server is back", async () => {
  await using opened = new Resources();
  const receiver = await aReceiver(opened, ADDRESS);
  await receiver.goAway();
  const address = `${addressIn(receiver)}?retry=10&wait=1`;
  const running = startProgram(opened, join(pypi.folder, 'bin/apprise'), ['-v', ...saying('Late'), address]);
  await running.waitFor(/Attempt 1\/11 .* failed; trying again/);
  await receiver.comeBack();
  assert.is((await receiver.nth(1)).title, 'Late');
});

apprise.run();

function saying(title: string): readonly string[] {
  return ['--title', title, '--body', TEXT];
}

function addressIn({ key, server }: Receiver): string {
  return `json://pushctl:${key}@${new URL(server.url).host}/senders/json/alerts`;
}
