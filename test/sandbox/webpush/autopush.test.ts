import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FirefoxClient } from '../../support/firefox-client.ts';
import { Resources } from '../../support/resources.ts';
import type { Sandbox } from '../../support/sandbox/start.ts';
import { aSandbox } from '../../support/sandbox.ts';
import { untilIs } from '../../support/until.ts';
import { OUR_KEYS, postWebPush } from '../../support/web-push.ts';

test('Firefox subscribes and gets pushes that only it can read', async () => {
  await using opened = new Resources();
  const { sandbox, firefox } = await start(opened);
  const subscription = await firefox.subscribe(OUR_KEYS.publicKey);
  assert.match(subscription.endpoint, /^https:\/\/updates\.push\.services\.mozilla\.com\/wpush\/v2\/[\w-]+$/);
  assert.is((await postWebPush(sandbox, subscription, { payload: { title: 'Disk full' } })).status, 201);
  await untilIs('the push', () => firefox.pushes.length, 1);
  assert.equal(firefox.pushes, [{ title: 'Disk full' }]);
  const [push] = sandbox.pushes;
  assert.equal([push?.token, push?.payload, push?.isSealed], [subscription.endpoint, {}, true]);
});

test('A push sent while it is away comes when it is back, only the newest of a topic', async () => {
  await using opened = new Resources();
  const { sandbox, firefox } = await start(opened);
  const subscription = await firefox.subscribe();
  await firefox.close();
  await untilIs('the service knows it', () => sandbox.webpush.firefox.browsers.connected, 0);
  const push = (title: string, headers = {}) => postWebPush(sandbox, subscription, { payload: { title }, headers });
  await push('80 %', { topic: 'disk' });
  await push('now or never', { ttl: '0' });
  await push('another');
  await push('90 %', { topic: 'disk' });
  await firefox.connect();
  await untilIs('both', () => firefox.pushes.length, 2);
  assert.equal(firefox.pushes, [{ title: 'another' }, { title: '90 %' }]);

  // Until it says that it has them, they come again.
  sandbox.webpush.firefox.browsers.disconnect();
  await firefox.closed();
  await firefox.connect();
  await untilIs('both again', () => firefox.pushes.length, 4);
  firefox.acknowledge();
  await firefox.ask({});
  await firefox.close();
  await firefox.connect();
  await firefox.ask({});
  assert.is(firefox.pushes.length, 4);
});

test('A removed subscription is gone, after any number of requests', async () => {
  await using opened = new Resources();
  const { sandbox, firefox } = await start(opened);
  const [first, second] = [await firefox.subscribe(), await firefox.subscribe()];
  const { pushEndpoint } = await firefox.ask({ messageType: 'register', channelID: first.channelID });
  const again = { ...first, endpoint: String(pushEndpoint) };
  const statuses = async () => {
    const answers = [
      await postWebPush(sandbox, first),
      await postWebPush(sandbox, again),
      await postWebPush(sandbox, second),
    ];
    return answers.map(({ status }) => status);
  };
  assert.equal(await statuses(), [201, 201, 201]);
  await firefox.unsubscribe(first.channelID);
  assert.equal(await statuses(), [410, 410, 201]);
});

test('A service that has forgotten the browser gives it another name, and its subscriptions are gone', async () => {
  await using opened = new Resources();
  const { sandbox, firefox } = await start(opened);
  const subscription = await firefox.subscribe();
  const name = firefox.uaid;
  sandbox.webpush.firefox.browsers.forget();
  await firefox.closed();
  assert.is((await postWebPush(sandbox, subscription)).status, 410);
  await firefox.connect();
  assert.is.not(firefox.uaid, name);
  const known = firefox.uaid;
  await firefox.close();
  await firefox.connect();
  assert.is(firefox.uaid, known);
});

test('A client that does not say hello, or sends no valid message, is disconnected', async () => {
  await using opened = new Resources();
  const { firefox } = await start(opened);
  firefox.say([] as never);
  await firefox.closed();
  await firefox.connect();
  assert.equal(await firefox.ask({}), {});
});

test.run();

async function start(opened: Resources): Promise<{ sandbox: Sandbox; firefox: FirefoxClient }> {
  const sandbox = opened.add(await aSandbox());
  const firefox = opened.add(new FirefoxClient(String(sandbox.webpush.firefox.preferences['dom.push.serverURL'])));
  await firefox.connect();
  return { sandbox, firefox };
}
