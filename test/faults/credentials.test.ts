import { copyFileSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Opened } from '../support/opened.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, serveHere, serverEnv, settled } from '../support/server.ts';
import { until } from '../support/until.ts';

const credentials = suite('missing credentials');

credentials(
  'pushes for a provider whose key file is missing at the start go out once it is there and read again',
  async () => {
    await using opened = new Opened();
    const sandbox = opened.add(await aSandbox());
    const env = await serverEnv(sandbox);
    const keyFile = String(env.PUSHCTL_APNS_KEY_FILE);
    copyFileSync(keyFile, `${keyFile}.kept`);
    rmSync(keyFile);
    const lines: string[] = [];
    const isReadAgain = () => lines.some((line) => line.includes('credentials read again'));
    const server = await serveHere(opened, env, { log: (line) => lines.push(line) });
    const team = opened.add(await aTeam(env, server.url));
    await team.addDevice(sandbox, { platform: 'ios' });
    await team.addDevice(sandbox, { platform: 'android' });
    const { body } = await team.post();
    const { public_id: publicId } = body.event;
    const pending = async () => (await team.read(publicId)).deliveries.pending;
    await until('the push to Android to be accepted', async () => (await pending()) === 1);
    assert.is(body.event.target_device_count, 2, 'devices of a provider that is off are targeted');
    assert.ok(
      lines.some((line) => line.includes('apns.key_file')),
      'the operator is notified',
    );
    await server.reload();
    assert.not.ok(isReadAgain(), 'a reload that failed is reported as one');
    assert.is(await pending(), 1, 'still missing');
    copyFileSync(`${keyFile}.kept`, keyFile);
    await server.reload();
    assert.ok(isReadAgain());
    assert.is((await settled(team, publicId)).deliveries.accepted, 2);
  },
);

credentials.run();
