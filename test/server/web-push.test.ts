import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PROVIDERS } from '../../src/push.ts';
import { FirefoxClient } from '../support/firefox-client.ts';
import { Opened } from '../support/opened.ts';
import { settled, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { issuedSubscription } from '../support/web-push.ts';

test('A posted event reaches a browser at each push service, and says there what it is about', async () => {
  await using opened = new Opened();
  const { sandbox, team } = await startTestServer(opened);
  const { public_key } = await team.store.showWebPushKey({});
  for (const service of PROVIDERS.webpush.routes) {
    await team.addBrowser(issuedSubscription(sandbox, { service, vapidKey: public_key }));
  }
  const { event } = (await team.post({ title: 'Disk full', description: 'db-1 has 2 GB left' })).body;
  assert.is((await settled(team, event.public_id)).deliveries.accepted, PROVIDERS.webpush.routes.length);
  for (const { payload } of sandbox.pushes) {
    const { title, body, tag } = payload.notification as Record<string, unknown>;
    assert.equal([title, body, tag], ['Disk full', 'db-1 has 2 GB left', event.public_id]);
  }
  assert.equal(sandbox.pushes.map(({ endpoint }) => endpoint).sort(), [...PROVIDERS.webpush.routes].sort());
});

test('A browser that was away gets what was posted in between, and one that unsubscribed ends its device', async () => {
  await using opened = new Opened();
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

test.run();
