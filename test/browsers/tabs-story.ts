import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { codeFor } from '../support/sign-in.ts';
import { type AppPage, openAppWithPushes, openSignedIn, openTab, originForPushes, signIn, TITLES } from './app-page.ts';
import { holdAnswers } from './held-answers.ts';
import type { BrowserTest } from './story.ts';

/** Two tabs of one browser: one session, one device. */
export function tabsStory(test: BrowserTest): void {
  test.smoke(
    'All tabs follow what is read in one of them, a sign-out, a new sign-in and a change of the person',
    async (parts, opened) => {
      const { server, sandbox, team } = parts;
      await team.addDevice(sandbox, { platform: 'android' });
      await team.post({ title: 'Disk full' });
      const tab = await openSignedIn(parts, opened);
      await tab.sees('Disk full');
      const other = await openTab(tab, opened);
      await other.page.goto(server.url);
      await other.page.waitForSelector('.event-unread');
      await other.click('Mark all as read');
      await other.page.waitForFunction(`${NONE_UNREAD} && document.title.startsWith('Inbox')`);
      await tab.page.bringToFront();
      await tab.page.waitForFunction(NONE_UNREAD);

      await tab.click('Settings', 'link');
      await tab.click('Sign out');
      await tab.sees('With a password');
      await other.page.bringToFront();
      await other.sees('Your session has ended');
      await tab.page.bringToFront();
      await tab.page.locator('input[name="code"]').fill(await codeFor(team, team.owner));
      await tab.page.keyboard.press('Enter');
      await tab.click('Go to the inbox');
      await tab.sees('Disk full');
      await other.page.bringToFront();
      await other.sees('Disk full');

      await team.join(team.bob);
      await other.page.goto(`${server.url}/settings`);
      await other.sees(team.owner);
      await tab.page.bringToFront();
      await tab.page.goto(`${server.url}/#pair=${await codeFor(team, team.bob)}`);
      await tab.click('Use the link');
      await tab.click('Go to the inbox');
      await other.page.bringToFront();
      await other.sees(team.bob);
      await other.seesNo(team.owner);
      assert.equal([...tab.faults, ...other.faults], []);
    },
  );

  test('A sign-in as another person in the same tab finds nothing of the first person there', async (parts, opened) => {
    const { server, sandbox, team } = parts;
    await team.addDevice(sandbox, { platform: 'android' });
    await team.join(team.bob);
    granted(await team.store.createChannel({ workspace: team.slug, slug: 'builds' }));
    const phone = {
      platform: 'android',
      token: sandbox.token({ platform: 'android' }),
      subscribe: ['builds'],
    } as const;
    granted(await team.store.addDevice({ workspace: team.slug, email: team.bob, ...phone }));
    await team.post({ title: 'Disk full' });
    const app = await openSignedIn(parts, opened);
    await app.click('Mark all as read');
    await app.sees('1 event was marked as read');
    await app.page.evaluate(KEEP_LINKS);
    await app.page.goto(`${server.url}/#pair=${await codeFor(team, team.bob)}`);
    await app.sees(`You are signed in as ${team.owner}`);
    const events = await holdAnswers(app.page, '/v1/events');
    await app.click('Use the link');
    await app.click('Go to the inbox');
    await events.first();
    await app.page.waitForSelector('.skeleton');
    await app.seesNo('Disk full');
    await app.seesNo('was marked as read');
    await events.letGo();
    await app.sees('No events yet');
    await app.page.waitForFunction(`caches.has('links').then((has) => !has)`);
    await team.post({ channel: 'builds', title: 'Build failed' });
    await app.sees('Build failed');
    assert.equal(app.faults, []);
  });

  test('Two tabs are one device: it shows an event once, stays the same, and ends with a sign-out in either', async (parts, opened) => {
    const { team } = parts;
    const url = await originForPushes(parts, opened);
    const devices = async () => granted(await team.store.listDevices({ workspace: team.slug, limit: 10 })).devices;
    const tab = await openAppWithPushes(parts, url, opened);
    await signIn(tab, url, team);
    await tab.click('Devices', 'link');
    const other = await openTab(tab, opened);
    await other.page.goto(`${url}/devices`);
    await other.sees('Get notifications in this browser');
    await tab.page.bringToFront();
    await tab.becomeDevice();
    await tab.subscribe('alerts');
    await other.page.bringToFront();
    await other.sees('Send a test');
    const [device, ...more] = await devices();
    assert.equal(more, []);

    // Chromium takes others than urgent ones away by itself after 25 s.
    await team.post({ title: 'Disk full', delivery_urgency: 'time_sensitive' });
    await other.notified('Disk full');
    await Promise.all([tab, other].map(reloadAndCheckIn));
    assert.equal(
      (await devices()).map(({ id, status }) => [id, status]),
      [[device?.id, 'active']],
    );
    await team.post({ title: 'Disk still full' });
    await tab.page.bringToFront();
    await tab.notified('Disk still full');
    assert.equal(await tab.page.evaluate(TITLES), ['Disk full', 'Disk still full']);

    await other.page.bringToFront();
    await other.click('Settings', 'link');
    await other.click('Sign out');
    await other.sees('With a password');
    await tab.page.bringToFront();
    await tab.sees('Your session has ended');
    assert.equal(await devices(), []);
    assert.equal([...tab.faults, ...other.faults], []);
  });
}

/** Each start asks whether all is as it was, and reports to the server that the device is there. */
async function reloadAndCheckIn({ page }: AppPage): Promise<void> {
  const reported = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await page.reload();
  assert.is((await reported).status(), 200);
}

const NONE_UNREAD = `document.querySelector('.event') !== null && document.querySelector('.event-unread') === null`;
const KEEP_LINKS = `caches.open('links').then((links) => links.put('/links/evt_1', new Response('{}')))`;
