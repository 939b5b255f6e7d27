import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WebPushRoute } from '../../src/contract/push-services.ts';
import { PROVIDERS } from '../../src/push.ts';
import { Cli } from '../support/cli.ts';
import { FirefoxClient } from '../support/firefox-client.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import type { TokenRequest } from '../support/sandbox/tokens.ts';
import { aTeam, serveHere, settled, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const ROUTES: readonly WebPushRoute[] = PROVIDERS.webpush.routes;

/** A browser that subscribed with the server's own key. */
async function aBrowser({ team, sandbox }: TestServer, request: Partial<TokenRequest> = {}) {
  const { public_key: vapidKey } = await team.store.showWebPushKey({});
  return team.addDevice(sandbox, { platform: 'web', vapidKey, ...request });
}

async function statusOf({ team }: TestServer, id: string): Promise<string | undefined> {
  const { devices } = granted(await team.store.listDevices({ workspace: 'acme', limit: 100 }));
  return devices.find((device) => device.id === id)?.status;
}

test('an event reaches a browser of every push service, each signed for with the one key', async () => {
  await using opened = new Resources();
  const server = await startTestServer(opened);
  const browsers = await Promise.all(ROUTES.map((service) => aBrowser(server, { service })));
  const { body } = await server.team.post({ title: 'Disk full', description: 'db-1 has 2 GB left' });
  const { deliveries } = await settled(server.team, body.event.public_id);
  assert.is(deliveries.accepted, ROUTES.length, JSON.stringify(deliveries));
  for (const { token } of browsers) {
    const { payload } = await server.sandbox.waitForPush((push) => push.token === token);
    const { title, body: text, tag } = payload.notification as Record<string, unknown>;
    assert.equal([title, text, tag], ['Disk full', 'db-1 has 2 GB left', body.event.public_id]);
    assert.match(JSON.stringify(payload), `/events/${body.event.public_id}"`);
  }
});

test('a push that its service keeps for less than was asked is shown so', async () => {
  await using opened = new Resources();
  const server = await startTestServer(opened);
  await aBrowser(server, { service: 'webpush_mozilla' });
  server.sandbox.behave({
    match: { endpoint: 'webpush_mozilla' },
    answer: { kind: 'keep', forS: 60 },
  });
  const { body } = await server.team.post();
  await settled(server.team, body.event.public_id);
  const { stdout } = await new Cli().run(['event', 'show', body.event.public_id], { env: server.env });
  assert.match(stdout, /accepted +kept for 60 s/);
});

test('the key outlives a restart', async () => {
  await using opened = new Resources();
  const before = await startTestServer(opened);
  const { token } = await aBrowser(before);
  await before.team.close();
  await before.server.stop();
  const server = await serveHere(opened, before.env);
  const team = opened.add(await aTeam(before.env, server.url));
  const { body } = await team.post();
  const { deliveries } = await settled(team, body.event.public_id);
  assert.is(deliveries.accepted, 1);
  await before.sandbox.waitForPush((push) => push.token === token);
});

test('a final answer of a push service ends a browser, and a temporary one does not', async () => {
  await using opened = new Resources();
  const server = await startTestServer(opened);
  const gone = await aBrowser(server, { behaviour: 'unregistered' });
  // Mozilla asks to wait two minutes.
  const flapping = await aBrowser(server, { service: 'webpush_google', behaviour: 'flapping' });
  const { body } = await server.team.post();
  const { deliveries } = await settled(server.team, body.event.public_id);
  assert.is(deliveries.accepted, 1);
  assert.is(deliveries.unregistered, 1);
  assert.is(await statusOf(server, gone.id), 'inactive');
  assert.is(await statusOf(server, flapping.id), 'active');
});

test('a push service that cannot be reached pauses its own route, and ends no browser', async () => {
  await using opened = new Resources();
  const server = await startTestServer(opened);
  const [away, there] = [
    await aBrowser(server, { service: 'webpush_apple' }),
    await aBrowser(server, { service: 'webpush_google' }),
  ];
  await server.sandbox.setOutage('webpush_apple', 'refused');
  const { body } = await server.team.post();
  await server.sandbox.waitForPush((push) => push.token === there.token);
  await server.sandbox.setOutage('webpush_apple', 'none');
  const { deliveries } = await settled(server.team, body.event.public_id);
  assert.is(deliveries.accepted, 2);
  assert.is(await statusOf(server, away.id), 'active');
});

test('a browser that was away gets what was posted in between, and one that unsubscribed ends its device', async () => {
  await using opened = new Resources();
  const { sandbox, team } = await startTestServer(opened);
  const firefox = opened.add(new FirefoxClient(String(sandbox.webpush.firefox.preferences['dom.push.serverURL'])));
  await firefox.connect();
  const { public_key } = await team.store.showWebPushKey({});
  const subscription = await firefox.subscribe(public_key);
  await team.addBrowser(subscription);
  await firefox.close();
  await team.post({ title: 'While away' });
  await firefox.connect();
  await until('the push', () => firefox.pushes.length > 0);
  const [{ notification }] = firefox.pushes as [{ notification: { title: string } }];
  assert.is(notification.title, 'While away');

  await firefox.unsubscribe(subscription.channelID);
  const { event } = (await team.post({ title: 'Nobody there' })).body;
  assert.is((await settled(team, event.public_id)).deliveries.unregistered, 1);
  assert.is((await team.post()).body.event.target_device_count, 0);
});

test('without a contact Web Push is off, and the log says so', async () => {
  await using opened = new Resources();
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  await startTestServer(opened, {
    env: Object.fromEntries(
      ['CONTACT', 'HOSTS', 'ENDPOINTS', 'CA_FILE'].map((name) => [`PUSHCTL_WEBPUSH_${name}`, '']),
    ),
    log,
  });
  assert.match(lines.join(), 'Web Push is off');
  await startTestServer(opened, { log });
  assert.is(lines.filter((line) => line.includes('Web Push is off')).length, 1);
});

test.run();
