import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ChromiumClient } from '../../support/chromium-client.ts';
import { Resources } from '../../support/resources.ts';
import type { Sandbox } from '../../support/sandbox/start.ts';
import { aSandbox } from '../../support/sandbox.ts';
import { until, untilIs } from '../../support/until.ts';
import { OUR_KEYS, postWebPush } from '../../support/web-push.ts';

test('Chromium checks in, subscribes, and gets its pushes under any name of its endpoint', async () => {
  await using opened = new Resources();
  const { sandbox, chromium } = await start(opened);
  const subscription = await chromium.subscribe('app', OUR_KEYS.publicKey);
  assert.is((await postWebPush(sandbox, subscription, { payload: { title: 'Disk full' } })).status, 201);
  const endpoint = subscription.endpoint.replace('fcm.googleapis.com', 'jmt17.google.com');
  assert.is((await postWebPush(sandbox, { ...subscription, endpoint }, { payload: { title: 'Again' } })).status, 201);
  await untilIs('both pushes', () => chromium.pushes.length, 2);
  assert.equal(chromium.pushes, [{ title: 'Disk full' }, { title: 'Again' }]);
  assert.equal(
    sandbox.pushes.map(({ token, isSealed }) => [token, isSealed]),
    [
      [subscription.endpoint, true],
      [endpoint, true],
    ],
  );
});

test('Pushes to different web apps of one Chromium say which each is for', async () => {
  await using opened = new Resources();
  const { sandbox, chromium } = await start(opened);
  const [first, second] = [await chromium.subscribe('one', OUR_KEYS.publicKey), await chromium.subscribe('two', 'key')];
  assert.is((await postWebPush(sandbox, first, { payload: { title: 'For one' } })).status, 201);
  assert.is((await postWebPush(sandbox, second)).status, 403);
  await untilIs('the push', () => chromium.pushes.length, 1);
  assert.equal(chromium.pushes, [{ title: 'For one' }]);
});

test('A push sent while it is away comes when it is back, only the newest of a topic', async () => {
  await using opened = new Resources();
  const { sandbox, chromium } = await start(opened);
  const subscription = await chromium.subscribe('app', OUR_KEYS.publicKey);
  sandbox.webpush.chromium.browsers.disconnect();
  await untilIs('the service knows it', () => sandbox.webpush.chromium.browsers.connected, 0);
  for (const title of ['80 %', '90 %']) {
    await postWebPush(sandbox, subscription, { payload: { title }, headers: { topic: 'disk' } });
  }
  await chromium.connect();
  await untilIs('the push', () => chromium.pushes.length, 1);
  assert.equal(chromium.pushes, [{ title: '90 %' }]);
});

test('Unconfirmed messages of an earlier connection come on the next connection, and none comes twice', async () => {
  await using opened = new Resources();
  const { sandbox, chromium } = await start(opened);
  const subscription = await chromium.subscribe('app', OUR_KEYS.publicKey);
  await postWebPush(sandbox, subscription, { payload: { title: 'Read' } });
  await untilIs('the push', () => chromium.pushes.length, 1);
  chromium.pause();
  await postWebPush(sandbox, subscription, { payload: { title: 'Left unread' } });
  await chromium.close();
  await chromium.connect();
  await until('the other push', () => chromium.pushes.length > 1 || chromium.pushes.length);
  assert.equal(chromium.pushes, [{ title: 'Read' }, { title: 'Left unread' }]);
});

test('A removed subscription is gone, and a forgotten browser gets another number', async () => {
  await using opened = new Resources();
  const { sandbox, chromium } = await start(opened);
  const [first, second] = [
    await chromium.subscribe('1', OUR_KEYS.publicKey),
    await chromium.subscribe('2', OUR_KEYS.publicKey),
  ];
  await chromium.unsubscribe('1');
  assert.is((await postWebPush(sandbox, first)).status, 410);
  const number = chromium.androidId;
  await chromium.checkIn();
  assert.is(chromium.androidId, number);
  sandbox.webpush.chromium.browsers.forget();
  await chromium.checkIn();
  assert.is.not(chromium.androidId, number);
  assert.is((await postWebPush(sandbox, second)).status, 410);
});

test('A heartbeat is answered', async () => {
  await using opened = new Resources();
  const { chromium } = await start(opened);
  chromium.ping();
  await until('the answer', () => chromium.frames.some(({ tag }) => tag === 1));
});

test.run();

async function start(opened: Resources): Promise<{ sandbox: Sandbox; chromium: ChromiumClient }> {
  const sandbox = opened.add(await aSandbox());
  const chromium = opened.add(new ChromiumClient(sandbox));
  await chromium.checkIn();
  await chromium.connect();
  return { sandbox, chromium };
}
