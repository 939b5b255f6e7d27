import type { Browser } from 'puppeteer-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BrowserSubscription } from '../../src/contract/addresses/address.ts';
import type { BrowserControl } from '../../src/sandbox/webpush/browsers.ts';
import { Opened } from '../support/opened.ts';
import { granted } from '../support/refusals.ts';
import { type Sandbox, startSandbox } from '../support/sandbox/start.ts';
import { aTeam, serveHere, serverEnv, settled } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { until } from '../support/until.ts';
import { issuedSubscription, OUR_KEYS, postWebPush } from '../support/web-push.ts';
import { type BrowserName, browserObstacle, launch, type Notification, openPage } from './browser.ts';

export interface BrowserInTest {
  readonly browser: Browser;
  readonly sandbox: Sandbox;
}
export type BrowserTest = (name: string, test: (parts: BrowserInTest, opened: Opened) => Promise<void>) => void;

/** These stories in a browser. `run` runs them, and what was added. The browser is started once for all of it. */
export function browserSuite(
  name: BrowserName,
  ...stories: readonly ((test: BrowserTest) => void)[]
): { readonly test: BrowserTest; run(): void } {
  const all = suite(`browsers: ${name}`);
  const where = skipWhere(browserObstacle(name), all);
  const whole = new Opened();
  let started: Promise<BrowserInTest> | null = null;
  const test: BrowserTest = (sentence, body) =>
    where(sentence, async () => {
      await using opened = new Opened();
      started ??= start(name, whole);
      await body(await started, opened);
    });
  all.after(() => whole[Symbol.asyncDispose]());
  for (const story of stories) story(test);
  return { test, run: all.run };
}

async function start(name: BrowserName, opened: Opened): Promise<BrowserInTest> {
  const sandbox = opened.add(await startSandbox());
  const browser = await launch(name, sandbox, opened);
  if (name === 'chromium') await stayConnected(browser, opened);
  return { sandbox, browser };
}

/**
 * By a subscription that lasts as long as the browser: Chromium ends its connection to the push service with the last
 * subscription, and after some short connections it stays away for minutes.
 */
async function stayConnected(browser: Browser, opened: Opened): Promise<void> {
  const { page, subscribe } = await openPage(browser, OUR_KEYS.publicKey, opened);
  await subscribe();
  await page.close();
}

/** Of pushes, by a site of its own. */
export function pushStory(test: BrowserTest): void {
  test('A push is shown, and another of the same event takes its place', async ({ browser, sandbox }, opened) => {
    const page = await openPage(browser, OUR_KEYS.publicKey, opened);
    const subscription = await page.subscribe();
    await push(sandbox, subscription, { title: 'Disk full', body: 'db-1 has 2 GB left ✓', tag: 'evt_1' });
    await page.heard({ shown: 'Disk full' });
    await push(sandbox, subscription, { title: 'Disk still full', body: '', tag: 'evt_1' });
    await page.heard({ shown: 'Disk still full' });
    assert.equal(await page.notifications(), [{ title: 'Disk still full', body: '', tag: 'evt_1' }]);
  });

  test('A posted event is shown, and its device ends once the page has unsubscribed', async (parts, opened) => {
    const env = await serverEnv(parts.sandbox);
    const { url } = await serveHere(opened, env);
    const team = opened.add(await aTeam(env, url));
    const { public_key } = await team.store.showWebPushKey({});
    const page = await openPage(parts.browser, public_key, opened);
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
    const { devices } = granted(await team.store.listDevices({ workspace: 'acme', limit: 10 }));
    assert.equal(
      devices.map(({ id, status }) => [id, status]),
      [[device, 'inactive']],
    );
  });

  test('The longest push that a service takes is shown', async ({ browser, sandbox }, opened) => {
    const page = await openPage(browser, OUR_KEYS.publicKey, opened);
    const subscription = await page.subscribe();
    const frame = JSON.stringify({ notification: { title: 'Long', body: '', tag: 'evt_1' } }).length;
    await push(sandbox, subscription, { title: 'Long', body: 'x'.repeat(3993 - frame), tag: 'evt_1' });
    await page.heard({ shown: 'Long' });
    assert.is((await page.notifications())[0]?.body.length, 3993 - frame);
  });

  test('A push that it cannot decrypt is not shown, and the next one is', async ({ browser, sandbox }, opened) => {
    const page = await openPage(browser, OUR_KEYS.publicKey, opened);
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

  test('What is pushed while its connection is away is shown later', async ({ browser, sandbox }, opened) => {
    const page = await openPage(browser, OUR_KEYS.publicKey, opened);
    const subscription = await page.subscribe();
    const { firefox, chromium } = sandbox.webpush;
    if (chromium.browsers.connected > 0) await lasts(chromium.browsers);
    for (const { browsers } of [firefox, chromium]) browsers.disconnect();
    await push(sandbox, subscription, { title: 'While away', body: '', tag: 'evt_1' });
    await page.heard({ shown: 'While away' });
  });

  test('A push is refused as gone once the page has unsubscribed', async ({ browser, sandbox }, opened) => {
    const page = await openPage(browser, OUR_KEYS.publicKey, opened);
    const subscription = await page.subscribe();
    await page.unsubscribe();
    // It notifies its service in its own time.
    await until('the subscription is gone', async () => (await postWebPush(sandbox, subscription)).status === 410);
  });
}

/**
 * Chromium takes a connection that ends within 10 s for a failure, and then waits for up to a minute before the next one
 * (kConnectionResetWindowSecs in its google_apis/gcm/engine/connection_factory_impl.cc).
 */
async function lasts(browsers: BrowserControl): Promise<void> {
  const since = performance.now();
  await until('the connection has lasted', () => browsers.connected > 0 && performance.now() - since > 11_000);
}

async function push(sandbox: Sandbox, subscription: BrowserSubscription, notification: Notification): Promise<void> {
  const { status, text } = await postWebPush(sandbox, subscription, { payload: { notification } });
  assert.is(status, 201, text);
}
