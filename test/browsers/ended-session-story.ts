import type { Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { codeFor } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { type AppPage, openApp, openAppWithPushes, originForPushes, signIn } from './app-page.ts';
import type { BrowserInTest, BrowserTest } from './story.ts';
import { clickNotification } from './worker.ts';

/** The traces of a person in a browser: names of caches and stored values, and the number of notifications. */
interface Kept {
  readonly caches: readonly string[];
  readonly values: readonly string[];
  readonly shown: number;
}

const NOTHING: Kept = { caches: [], values: [], shown: 0 };
const ALL: Kept = {
  caches: ['channel-names', 'events', 'links'],
  values: ['signed-in', 'workspace', 'workspaces'],
  shown: 1,
};

const LOSE_SUBSCRIPTION = `navigator.serviceWorker.ready
  .then(({ pushManager }) => pushManager.getSubscription())
  .then((subscription) => subscription.unsubscribe())`;

/** However a session ends, the browser forgets its person. It stays a device: that has an end of its own. */
export function endedSessionStory(test: BrowserTest): void {
  test('When a session is ended elsewhere, an open page forgets all that was kept and shown', async (parts, opened) => {
    const { team } = parts;
    const { app } = await aDevice(parts, opened);
    await endElsewhere(parts);
    await app.sees('Your session has ended');
    await untilKept(app.page, NOTHING);
    await app.seesNo('Disk full');
    await app.seesNo('Payments');
    await team.post({ title: 'Disk still full' });
    await app.notified('Disk still full');
    // Without a session, nobody reports that the subscription is lost. The sign-in in this page does.
    await app.page.evaluate(LOSE_SUBSCRIPTION);
    const reported = app.page.waitForResponse(
      (answer) => answer.request().method() === 'PATCH' && answer.url().includes('/v1/devices/') && answer.ok(),
    );
    await app.fill('code', await codeFor(team, team.owner));
    await app.submit();
    await reported;
    await team.post({ title: 'Disk is full again' });
    await app.notified('Disk is full again');
    assert.equal(app.faults, []);
  });

  test('When a session is ended elsewhere while no page is open, the next start forgets all of it', async (parts, opened) => {
    const { app, url } = await aDevice(parts, opened);
    await app.page.goto('about:blank');
    await endElsewhere(parts);
    await app.page.goto(url);
    await app.sees('Your session has ended');
    await untilKept(app.page, NOTHING);
    assert.equal(app.faults, []);
  });

  test('When a session was ended elsewhere, a tap on a notification forgets all of it without a page', async (parts, opened) => {
    const { app, url } = await aDevice(parts, opened);
    // A page of the worker's, but none of the app's.
    await app.page.goto(`${url}/api/openapi.json`);
    await endElsewhere(parts);
    await clickNotification(app.page, '');
    // The stored values are the pages' to remove: the first one finds out as well.
    await untilKept(app.page, { ...NOTHING, values: ALL.values });
    await app.page.goto(url);
    await app.sees('Your session has ended');
    await untilKept(app.page, NOTHING);
  });

  test('If the browser has lost its cookie, a tap that needs it leads to the sign-in, and back to its page', async (parts, opened) => {
    const { team, server, browser } = parts;
    granted(
      await team.store.updateChannel({ workspace: team.slug, slug: 'alerts', insist: { repeat: 120, until: 3_600 } }),
    );
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.setViewport({ width: 390, height: 844 });
    const { public_id: id } = (await team.post({ title: 'Disk full', delivery_urgency: 'time_sensitive' })).body.event;
    await app.show(`/events/${id}`);
    await app.sees('Open since');
    // Marking the event as read makes the page load counts again, which would meet the lost cookie before the tap does.
    await app.page.waitForNetworkIdle({ idleTime: 1_500, concurrency: 2 });
    const context = app.page.browserContext();
    await context.deleteCookie(...(await context.cookies()));
    await app.tap('Acknowledge');
    await app.sees('Your session has ended');
    await app.fill('code', await codeFor(team, team.owner));
    await app.submit();
    await app.tap('Acknowledge');
    await app.sees('With you since');
    assert.is(await app.isAt('/events'), `/events/${id}`);
    assert.equal(app.faults, []);
  });

  test('A sign-out leaves nothing either, and the next sign-in shows and keeps everything again', async (parts, opened) => {
    const { app, url } = await aDevice(parts, opened);
    await app.page.goto(`${url}/settings`);
    await app.click('Sign out');
    await app.sees('With a password');
    await untilKept(app.page, NOTHING);
    await becomeDevice(parts, app, url);
    await showAndKeep(parts, app, url);
    assert.equal(app.faults, []);
  });
}

/** The app of the owner, in a browser that shows an event and keeps it, its link and what its channel is called. */
async function aDevice(parts: BrowserInTest, opened: Parameters<typeof openAppWithPushes>[2]) {
  const { team } = parts;
  const url = await originForPushes(parts, opened);
  granted(await team.store.updateChannel({ workspace: team.slug, slug: 'alerts', name: 'Payments' }));
  const app = await openAppWithPushes(parts, url, opened);
  await becomeDevice(parts, app, url);
  await showAndKeep(parts, app, url);
  return { app, url };
}

async function becomeDevice({ team }: BrowserInTest, app: AppPage, url: string): Promise<void> {
  await signIn(app, url, team);
  await app.click('Devices', 'link');
  await app.becomeDevice();
  await app.subscribe('Payments');
}

async function showAndKeep({ team }: BrowserInTest, app: AppPage, url: string): Promise<void> {
  await app.page.goto(`${url}/w/${team.slug}`);
  // Chromium takes others than urgent ones away by itself after 25 s.
  await team.post({ title: 'Disk full', url: 'https://ci.example.com/42', delivery_urgency: 'time_sensitive' });
  await app.notified('Disk full');
  await app.page.goto(url);
  await app.sees('Disk full');
  await untilKept(app.page, ALL);
}

async function endElsewhere({ team }: BrowserInTest): Promise<void> {
  granted(await team.store.closeSessions({ email: team.owner }));
}

function untilKept(page: Page, wanted: Kept): Promise<void> {
  return until(`kept: ${JSON.stringify(wanted)}`, async () => {
    const kept = (await page.evaluate(KEPT).catch(() => null)) as Kept | null;
    return JSON.stringify(kept) === JSON.stringify(wanted);
  });
}

const KEPT = `navigator.serviceWorker.getRegistration()
  .then((registration) => Promise.all([caches.keys(), registration.getNotifications()]))
  .then(([names, shown]) => ({
    caches: names.filter((name) => ['channel-names', 'events', 'links'].includes(name)).sort(),
    values: Object.keys(localStorage).filter((name) => ['signed-in', 'workspace', 'workspaces'].includes(name)).sort(),
    shown: shown.length,
  }))`;
