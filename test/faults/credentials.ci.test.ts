import { appendFileSync, copyFileSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Route } from '../../src/push.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, serveHere, serverEnv, settled, startTestServer } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';

const credentials = suite('missing credentials');

credentials(
  'pushes for a provider whose key file is missing at the start go out once it is there and read again',
  async () => {
    await using opened = new Resources();
    const sandbox = opened.add(await aSandbox());
    const env = await serverEnv(sandbox);
    const keyFile = String(env.PUSHCTL_APNS_KEY_FILE);
    copyFileSync(keyFile, `${keyFile}.kept`);
    rmSync(keyFile);
    const lines: string[] = [];
    const isReadAgain = () => lines.some((line) => line.includes('credentials were reloaded'));
    const server = await serveHere(opened, env, { log: (line) => lines.push(line) });
    const team = opened.add(await aTeam(env, server.url));
    await team.addDevice(sandbox, { platform: 'ios' });
    await team.addDevice(sandbox, { platform: 'android' });
    const { body } = await team.post();
    const { public_id: publicId } = body.event;
    const pending = async () => (await team.read(publicId)).deliveries.pending;
    await untilIs('the push to Android to be accepted', () => pending(), 1);
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

credentials(
  "a renewed key opens its provider's routes, and leaves another's pause with the time that it named",
  async () => {
    await using opened = new Resources();
    const { server, sandbox, env, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    await team.addDevice(sandbox, { platform: 'ios' });
    const pauseOf = async (route: Route) =>
      (await team.store.listRoutes({})).find((entry) => entry.route === route)?.live?.pause ?? null;
    const busy = { kind: 'refuse', reason: 'QUOTA_EXCEEDED', retryAfterS: 1_800 } as const;
    sandbox.behave({ match: { endpoint: 'fcm' }, answer: busy });
    const tooOften = { kind: 'refuse', reason: 'TooManyProviderTokenUpdates' } as const;
    const fix = sandbox.behave({ match: { endpoint: 'apns_production' }, answer: tooOften });
    const { body } = await team.post();
    await until(
      'both pauses',
      async () => (await pauseOf('fcm')) !== null && (await pauseOf('apns_production')) !== null,
    );
    const { refused } = sandbox.counts;

    fix();
    appendFileSync(String(env.PUSHCTL_APNS_KEY_FILE), '\n');
    await server.reload();
    await until(
      'the push to iOS',
      async () =>
        (await team.read(body.event.public_id)).deliveries.accepted === 1 ||
        (await team.read(body.event.public_id)).deliveries.accepted,
    );
    assert.is((await pauseOf('fcm'))?.reason, 'QUOTA_EXCEEDED');
    assert.is(sandbox.counts.refused, refused);
  },
);

credentials.run();
