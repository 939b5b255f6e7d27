import type { Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import type { Resources } from '../support/resources.ts';
import { type AppPage, openAppWithPushes, originForPushes, signIn } from './app-page.ts';
import { launch, untilShown } from './browser.ts';
import type { BrowserInTest, BrowserTest } from './story.ts';
import { startWebProxy } from './web-proxy.ts';
import { clickNotification, shownBy } from './worker.ts';

const DISK = { title: 'Disk full', level: 'error', delivery_urgency: 'time_sensitive', collapse_key: 'disk' };

const RINGING = { title: 'Disk full', body: 'alerts · urgent', actions: ['acknowledge'], silent: false };

/** The button of a notification, in the worker that shows it. */
export function acknowledgeStory(test: BrowserTest): void {
  test('The button of a notification acknowledges the alert. If that fails, the notification says so and its page offers the button again', async (parts, opened) => {
    const { team, ada, bob, proxy } = await twoBrowsers(parts, opened);
    const { public_id: first } = (await team.post(DISK)).body.event;
    for (const { page } of [ada, bob]) {
      await shows(page);
      const [{ tag, ...shown } = { tag: '' }, ...others] = await shownBy(page);
      assert.equal([shown, tag.length, others], [RINGING, 32, []]);
    }
    proxy.set(/\/acknowledge$/, 'waits');
    assert.is(await clickNotification(ada.page, 'acknowledge'), null);
    const [{ tag: _, ...again } = { tag: '' }] = await shownBy(ada.page);
    const body = `Not acknowledged: the server does not answer.\n${RINGING.body}`;
    assert.equal(again, { ...RINGING, body });
    proxy.set(/\/acknowledge$/, { status: 500, html: '' });
    assert.is(await clickNotification(ada.page, 'acknowledge'), `/events/${first}`);
    await ada.page.setViewport({ width: 390, height: 844 });
    await ada.page.goto(`${proxy.url}/events/${first}`);
    await ada.sees('Not acknowledged');
    proxy.pass();
    await ada.page.reload();
    await ada.sees('With you since');
    await ada.seesNo('Not acknowledged');

    const ringsAgain = async (publicId: string): Promise<string> => {
      granted(await team.store.resolveAlert({ publicId, as: team.owner }));
      const { public_id: next } = (await team.post(DISK)).body.event;
      for (const { page } of [ada, bob])
        await untilShown('it rings again', async () => {
          const shown = await shownBy(page);
          return (shown.length === 1 && shown[0]?.body === RINGING.body) || shown;
        });
      return next;
    };
    // The page takes a tap as well.
    const second = await ringsAgain(first);
    proxy.set(/\/acknowledge$/, { status: 500, html: '' });
    assert.is(await clickNotification(ada.page, 'acknowledge'), `/events/${second}`);
    await ada.page.goto(`${proxy.url}/events/${second}`);
    await ada.sees('Not acknowledged');
    await ada.sees('Open since');
    proxy.pass();
    await ada.tap('Acknowledge');
    await ada.sees('With you since');
    await ada.seesNo('Not acknowledged');

    const id = await ringsAgain(second);
    const [{ tag } = { tag: '' }] = await shownBy(bob.page);
    assert.is(await clickNotification(ada.page, 'acknowledge'), null);
    const { alert } = granted(await team.store.showAlert({ publicId: id }));
    assert.equal([alert.state, alert.acknowledged_by], ['acknowledged', 'ada']);
    const notice = { title: 'Disk full', body: 'ada has it.\nalerts', tag, silent: true, actions: [] };
    // Each by itself: browsers take what is quiet away after a while, and one may have it before the other.
    const isQuiet = async (page: Page) => JSON.stringify(await shownBy(page)) === JSON.stringify([notice]);
    const showsNotice = ({ page }: AppPage) =>
      untilShown('it shows who has it, in the place of the alert', () => isQuiet(page));
    const comesToNothing = async () => {
      await showsNotice(ada);
      // The session ends elsewhere while no page of the app is open, which would close the notification.
      await ada.page.goto(new URL('/api/openapi.json', ada.page.url()).href);
      await ada.page.evaluate(`fetch('/api/v1/session', { method: 'DELETE' })`);
      assert.is(await clickNotification(ada.page, 'acknowledge'), `/events/${id}`);
    };
    await Promise.all([comesToNothing(), showsNotice(bob)]);
    assert.equal([...ada.faults, ...bob.faults], []);
  });
}

/** Like `acknowledgeStory`, for an event that insists on nothing. */
export function notificationStory(test: BrowserTest): void {
  test("A notification names its channel; a tap opens the sender's link, or the event's page if the reader chose that", async (parts, opened) => {
    const { team, ada, url } = await oneBrowser(parts, opened, 'Payments in Köln');
    const links = { url: 'https://ci.example.com/42', image_url: 'https://ci.example.com/42.png' };
    const { public_id: id } = (await team.post({ title: 'Deploy finished', ...links })).body.event;
    await shows(ada.page);
    assert.equal(
      (await shownBy(ada.page)).map(({ title, body }) => [title, body]),
      [['Deploy finished', 'Payments in Köln']],
    );
    assert.is(await clickNotification(ada.page, ''), '/42');
    await ada.page.goto(`${url}/settings`);
    await ada.clickText('Open notifications here');
    await ada.page.waitForFunction(`caches.match('/choices/open-here').then((kept) => kept !== undefined)`);
    const { public_id: other } = (await team.post({ title: 'Backup finished', ...links })).body.event;
    await shows(ada.page);
    assert.is(await clickNotification(ada.page, ''), `/events/${other}`);
    await ada.page.goto(`${url}/events/${id}`);
    await ada.sees('Show the image from ci.example.com');
    assert.equal(await ada.page.$$eval('main a.button', (all) => all.map(({ href }) => href)), Object.values(links));
    // No image is asked for before a click.
    assert.is(await ada.page.$('main img'), null);
    const keptLinks = `caches.has('links').then((are) => are)`;
    assert.is(await ada.page.evaluate(keptLinks), true);
    await ada.page.goto(`${url}/settings`);
    await ada.click('Sign out');
    await ada.sees('With a password');
    await ada.page.waitForFunction(`${keptLinks}.then((are) => !are)`);
    assert.equal(ada.faults, []);
  });
}

function shows(page: Page): Promise<void> {
  return untilShown('a notification is shown', async () => (await shownBy(page)).length > 0);
}

/** `name`: of the channel, from which no reminder comes during a test. */
export async function oneBrowser(parts: BrowserInTest, opened: Resources, name = 'alerts', origin?: string) {
  const { team } = parts;
  const url = origin ?? (await originForPushes(parts, opened));
  const insist = { repeat: 1_200, until: 12_000 };
  granted(await team.store.updateChannel({ workspace: team.slug, slug: 'alerts', name, insist }));
  const ada = await aDevice(parts, url, team.owner, opened, name);
  return { team, ada, url };
}

/** Two members' browsers on `alerts`, which insists. */
export async function twoBrowsers(parts: BrowserInTest, opened: Resources) {
  const proxy = opened.add(await startWebProxy(parts.server.url));
  const { team, ada, url } = await oneBrowser(parts, opened, 'alerts', proxy.url);
  await team.join(team.bob);
  const { name, browser, sandbox } = parts;
  // Pages of Firefox that take pushes have the same cookies.
  const theirs = name === 'chromium' ? browser : await launch(name, sandbox, opened);
  const bob = await aDevice({ ...parts, browser: theirs }, url, team.bob, opened);
  return { team, ada, bob, proxy };
}

/** The app of a member, in a browser that shows what is posted to `alerts`. */
async function aDevice(
  parts: BrowserInTest,
  url: string,
  email: string,
  opened: Resources,
  channel = 'alerts',
): Promise<AppPage> {
  const app = await openAppWithPushes(parts, url, opened);
  await signIn(app, url, parts.team, email);
  await app.click('Devices', 'link');
  await app.becomeDevice();
  await app.subscribe(channel);
  return app;
}
