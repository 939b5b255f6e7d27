import type { Browser } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import type { BrowserSubscription } from '../../src/contract/addresses/address.ts';
import type { BrowserControl } from '../../src/sandbox/webpush/browsers.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { settled } from '../support/server.ts';
import { until } from '../support/until.ts';
import { issuedSubscription, OUR_KEYS, postWebPush } from '../support/web-push.ts';
import { openAppWithPushes, originForPushes, signIn } from './app-page.ts';
import { type Notification, type OpenPage, openPage } from './browser.ts';
import type { BrowserTest } from './story.ts';

/** Pushes by the browser's own connection to its push service, on a site of its own. */
export function pushStory(test: BrowserTest): void {
  test('A push is shown, and another of the same event takes its place', async ({ browser, sandbox }, opened) => {
    const page = await openConnected(browser, OUR_KEYS.publicKey, opened);
    const subscription = await page.subscribe();
    await push(sandbox, subscription, { title: 'Disk full', body: 'db-1 has 2 GB left ✓', tag: 'evt_1' });
    await page.heard({ shown: 'Disk full' });
    await push(sandbox, subscription, { title: 'Disk still full', body: '', tag: 'evt_1' });
    await page.heard({ shown: 'Disk still full' });
    assert.equal(await page.notifications(), [{ title: 'Disk still full', body: '', tag: 'evt_1' }]);
  });

  test('The longest push that a service takes is shown', async ({ browser, sandbox }, opened) => {
    const page = await openConnected(browser, OUR_KEYS.publicKey, opened);
    const subscription = await page.subscribe();
    const frame = JSON.stringify({ notification: { title: 'Long', body: '', tag: 'evt_1' } }).length;
    await push(sandbox, subscription, { title: 'Long', body: 'x'.repeat(3993 - frame), tag: 'evt_1' });
    await page.heard({ shown: 'Long' });
    assert.is((await page.notifications())[0]?.body.length, 3993 - frame);
  });

  test('A push that it cannot decrypt is not shown, and the next one is', async ({ browser, sandbox }, opened) => {
    const page = await openConnected(browser, OUR_KEYS.publicKey, opened);
    const subscription = await page.subscribe();
    const { keys } = issuedSubscription(sandbox, {});
    await push(sandbox, { ...subscription, keys }, { title: 'Not for you', body: '', tag: 'evt_1' });
    await push(sandbox, subscription, { title: 'For you', body: '', tag: 'evt_2' });
    await page.heard({ shown: 'For you' });
    assert.equal(
      (await page.notifications()).map(({ title }) => title),
      ['For you'],
    );
  });

  test('A push sent while the connection is away is shown later', async ({ browser, sandbox }, opened) => {
    const page = await openConnected(browser, OUR_KEYS.publicKey, opened);
    const subscription = await page.subscribe();
    const { firefox, chromium } = sandbox.webpush;
    if (chromium.browsers.connected > 0) await lasts(chromium.browsers);
    for (const { browsers } of [firefox, chromium]) browsers.disconnect();
    await push(sandbox, subscription, { title: 'While away', body: '', tag: 'evt_1' });
    await page.heard({ shown: 'While away' });
  });
}

/** Subscriptions of such a site, which its browser or its push service ends. */
export function subscriptionStory(test: BrowserTest): void {
  test('A posted event is shown, and its device ends once the page has unsubscribed', async (parts, opened) => {
    const { team } = parts;
    const { public_key } = await team.store.showWebPushKey({});
    const page = await openConnected(parts.browser, public_key, opened);
    const device = await team.addBrowser(await page.subscribe());
    const { event } = (await team.post({ title: 'Disk full', description: 'db-1 has 2 GB left' })).body;
    await page.heard({ shown: 'Disk full' });
    const shown = { title: 'Disk full', body: 'db-1 has 2 GB left', tag: event.public_id };
    assert.equal(await page.notifications(), [shown]);
    assert.is((await settled(team, event.public_id)).deliveries.accepted, 1);

    await page.unsubscribe();
    // It notifies its service in its own time.
    await until('a push is refused', async () => {
      const { body } = await team.post({ title: 'Nobody there' });
      return (await settled(team, body.event.public_id)).deliveries.unregistered === 1;
    });
    const { devices } = granted(await team.store.listDevices({ workspace: team.slug, limit: 10 }));
    assert.equal(
      devices.map(({ id, status }) => [id, status]),
      [[device, 'inactive']],
    );
  });

  test('A push is refused as gone once the page has unsubscribed', async ({ browser, sandbox }, opened) => {
    const page = await openConnected(browser, OUR_KEYS.publicKey, opened);
    const subscription = await page.subscribe();
    await page.unsubscribe();
    // It notifies its service in its own time.
    await until('the subscription is gone', async () => (await postWebPush(sandbox, subscription)).status === 410);
  });
}

/** Tells the stories that only Firefox can show. */
export function forgottenStory(test: BrowserTest): void {
  test('If the push service has forgotten the subscription, the worker subscribes again, and pushes go on', async ({
    browser,
    sandbox,
  }, opened) => {
    const page = await openConnected(browser, OUR_KEYS.publicKey, opened);
    const before = await page.subscribe();
    sandbox.webpush.firefox.browsers.forget();
    const { subscription } = await page.heard({ replaced: before.endpoint });
    const payload = { notification: { title: 'After the loss', body: '', tag: 'evt_1' } };
    assert.is((await postWebPush(sandbox, before, { payload })).status, 410);
    assert.is((await postWebPush(sandbox, subscription as BrowserSubscription, { payload })).status, 201);
    await page.heard({ shown: 'After the loss' });
  });

  test('When its service has forgotten the app, the worker gives the device its new subscription, and pushes go on', async (parts, opened) => {
    const { team, sandbox } = parts;
    const url = await originForPushes(parts, opened);
    const app = await openAppWithPushes(parts, url, opened);
    await signIn(app, url, team);
    await app.click('Devices', 'link');
    await app.becomeDevice();
    await app.subscribe('alerts');
    const endpoint = () => app.page.evaluate(LEFT_ENDPOINT);
    await until('the page has left the device for the worker', async () => (await endpoint()) !== null);
    const before = await endpoint();
    sandbox.webpush.firefox.browsers.forget();
    await until('the new subscription is reported', async () => (await endpoint()) !== before);
    await team.post({ title: 'After the loss' });
    await app.notified('After the loss');
    assert.is(granted(await team.store.listDevices({ workspace: team.slug, limit: 10 })).devices.length, 1);
    assert.equal(app.faults, []);
  });
}

/** The endpoint that the server has of this browser, as its worker knows it. */
const LEFT_ENDPOINT = `caches.match('/this-device', { cacheName: 'this-device' })
  .then((kept) => kept?.json()).then((device) => device?.endpoint ?? null)`;

/**
 * Chromium takes a connection that ends within 10 s for a failure. It then waits for up to a minute before the next
 * connection (kConnectionResetWindowSecs in its google_apis/gcm/engine/connection_factory_impl.cc).
 */
async function lasts(browsers: BrowserControl): Promise<void> {
  const since = performance.now();
  await until('the connection has lasted', () => browsers.connected > 0 && performance.now() - since > 11_000);
}

async function push(sandbox: Sandbox, subscription: BrowserSubscription, notification: Notification): Promise<void> {
  const { status, text } = await postWebPush(sandbox, subscription, { payload: { notification } });
  assert.is(status, 201, text);
}

/** One file has one browser. */
let staying: Promise<unknown> | null = null;

/**
 * Opens the site after a subscription that lasts as long as the browser. Chromium ends its connection to the push
 * service with the last subscription. After some short connections it waits for minutes before the next one.
 */
async function openConnected(browser: Browser, vapidKey: string, opened: Resources): Promise<OpenPage> {
  staying ??= stayConnected(browser);
  await staying;
  return openPage(browser, vapidKey, opened);
}

async function stayConnected(browser: Browser): Promise<void> {
  await using opened = new Resources();
  await (await openPage(browser, OUR_KEYS.publicKey, opened)).subscribe();
}
