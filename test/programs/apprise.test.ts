import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inForm } from '../../src/contract/api-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Opened } from '../support/opened.ts';
import { startTestServer } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { DEADLINE_MS } from '../support/until.ts';

const PROGRAM = 'apprise';
const apprise = suite(PROGRAM);
const isThere = spawnSync(PROGRAM, ['--version']).error === undefined;
const withApprise = skipWhere(isThere ? null : `needs ${PROGRAM}, Debian's package of that name`, apprise);

withApprise('Apprise reaches the device as it does ntfy, Gotify, Mattermost and addresses for JSON', async () => {
  await using opened = new Opened();
  // It speaks to ntfy at the root of a host, for which there is this other name of this machine.
  const env = { PUSHCTL_SENDERS_HOSTS: 'localhost=ntfy' };
  const { server, sandbox, team } = await startTestServer(opened, { env });
  await team.addDevice(sandbox, { platform: 'android' });
  const { text: key } = await team.issueKey({ channels: ['alerts'], scopes: ['events:write'] });
  const { host, port } = new URL(server.url);

  const addresses = [
    `ntfy://pushctl:${inForm('tk_', key)}@localhost:${port}/alerts?priority=high`,
    `gotify://${host}/senders/gotify/${inForm('gtfya.', key)}?priority=high`,
    `mmost://${host}/senders/slack/${key}`,
    `json://pushctl:${key}@${host}/senders/json/alerts`,
  ];
  // Neither a proxy nor the settings of whoever runs the tests.
  const own = { PATH: process.env.PATH, HOME: temporaryFolder() };
  for (const [index, address] of addresses.entries()) {
    const title = `Backup ${index + 1} failed`;
    await promisify(execFile)(PROGRAM, ['--title', title, '--body', 'no space left on device', address], { env: own });
    const { payload } = await sandbox.waitForPush(({ number }) => number === index + 1, DEADLINE_MS);
    const { title: shown, body } = payload.data as Readonly<Record<string, string>>;
    assert.equal([shown, body], [title, 'no space left on device']);
  }
});

apprise.run();
