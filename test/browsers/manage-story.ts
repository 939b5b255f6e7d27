import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { codeFor } from '../support/sign-in.ts';
import { openApp, openSignedIn, signIn } from './app-page.ts';
import { fromMenu } from './menus.ts';
import type { BrowserTest } from './story.ts';

/** Tells stories of owners and admins in the web app, for every browser. */
export function manageStory(test: BrowserTest): void {
  test('A channel is made, an invited person signs in by their link, and a confirmation deletes the channel', async (parts, opened) => {
    const { browser, server, team } = parts;
    granted(await team.store.deleteChannel({ workspace: team.slug, slug: 'alerts' }));
    const app = await openSignedIn(parts, opened);
    await app.page.goto(`${server.url}/w/${team.slug}/channels`);
    await app.click('Create channel');
    await app.fill('slug', 'deploys');
    await app.submit();
    await app.sees('deploys accepts events now.');
    await app.page.goto(`${server.url}/w/${team.slug}/members`);
    await app.click('Invite');
    await app.fill('email', team.bob);
    await app.submit();
    await app.page.waitForSelector('.qr path');
    const link = await app.page.$eval('dialog[open] pre', (pre) => pre.textContent ?? '');
    const theirs = await openApp(browser, opened);
    // The address that the server thinks it has is another one here.
    await theirs.page.goto(server.url + new URL(link).pathname + new URL(link).hash);
    await theirs.click('Sign in');
    await theirs.sees(`You are signed in as ${team.bob}`);
    await app.page.bringToFront();
    await app.page.goto(`${server.url}/w/${team.slug}/channels`);
    await fromMenu(app, 'deploys', 'Delete deploys');
    await app.sees('the subscriptions of 0 devices');
    await app.click('Cancel');
    await app.page.waitForFunction(`document.querySelector('dialog') === null`);
    const label = await app.page.evaluate(`document.activeElement.ariaLabel`);
    assert.is(label, 'More for deploys', 'the menu that it came from has the focus');
    await fromMenu(app, 'deploys', 'Delete deploys');
    await app.submit();
    await app.sees('deploys is deleted.');
    await app.sees('No channels yet');
    await app.page.waitForFunction(`document.activeElement?.textContent === 'Channels'`);
    assert.equal([...app.faults, ...theirs.faults], []);
  });

  test.smoke(
    'An event is sent by hand: its draft survives a sign-in, it has its page once sent, and another waits for its time',
    async (parts, opened) => {
      const { server, sandbox, team } = parts;
      await team.addDevice(sandbox, { platform: 'android' });
      const app = await openSignedIn(parts, opened);
      await app.show(`/w/${team.slug}/send`);
      await app.page.waitForSelector('[name="channel"] option');
      await app.fill('title', 'Disk full');
      await app.page.select('[name="level"]', 'error');
      await app.page.locator('summary').click();
      await app.fill('event_type', 'disk.full');
      granted(await team.store.closeSessions({ email: team.owner }));
      await app.sees('Your session has ended');
      await app.fill('code', await codeFor(team, team.owner));
      await app.submit();
      const written = `['title', 'level', 'event_type'].map((name) => document.querySelector('[name=' + name + ']')?.value).join()`;
      await app.page.waitForFunction(`${written} === 'Disk full,error,disk.full'`);
      await app.click('Check');
      await app.click('Send to 1 device');
      await app.page.waitForFunction(`${written} === ',info,'`);
      await app.click('Follow its deliveries', 'link');
      await app.isAt(`/w/${team.slug}/events/evt_`);
      await app.page.waitForFunction(`document.querySelector('h1')?.textContent === 'Disk full'`);
      await app.page.goto(`${server.url}/w/${team.slug}`);
      await app.sees('Everything works: 1 event');
      await app.page.waitForSelector('canvas[role="img"]');
      await app.page.waitForFunction(`[...document.querySelectorAll('canvas')].every((canvas) =>
      canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0))`);
      await app.page.goto(`${server.url}/w/${team.slug}/events`);
      await app.sees('Disk full');
      await app.page.select('[name="scheduled"]', 'true');
      await app.sees('Nothing found');
      await app.show(`/w/${team.slug}/send`);
      await app.page.waitForSelector('[name="channel"] option');
      await app.fill('title', 'Maintenance begins');
      await app.page.locator('summary').click();
      const tomorrow = `new Date(Date.now() + 864e5).toISOString().slice(0, 11) + '09:30'`;
      await app.page.evaluate(`document.querySelector('[name="send_at"]').value = ${tomorrow}`);
      await app.click('Check');
      await app.click('Schedule');
      await app.sees('It will be sent on');
      await app.page.goto(`${server.url}/w/${team.slug}/events?scheduled=true`);
      await app.sees('Maintenance begins');
      await app.page.select('[name="scheduled"]', '');
      await app.sees('Disk full');
      await team.post({ title: 'Came while the page was open' });
      await app.sees('Came while the page was open');
      assert.equal(app.faults, []);
    },
  );

  test('The keyboard walks through the events of a workspace as the help explains', async (parts, opened) => {
    const { server, team } = parts;
    await team.post({ title: 'Disk full' });
    await team.post({ title: 'Deploy finished' });
    const app = await openApp(parts.browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/${team.slug}/events`);
    await app.sees('Disk full');
    for (const key of ['j', 'j', 'j', 'k', 'j', 'k'] as const) await app.page.keyboard.press(key);
    const focused = () => app.page.evaluate('document.activeElement.textContent');
    assert.is(await focused(), 'Deploy finished');
    await app.page.keyboard.press('?');
    await app.sees('Next event');
    await app.page.keyboard.press('j');
    await app.page.keyboard.press('Escape');
    await app.page.waitForFunction(`document.querySelector('dialog') === null`);
    assert.is(await focused(), 'Deploy finished');
    await app.page.keyboard.press('j');
    await app.page.keyboard.press('Enter');
    await app.page.waitForFunction(`document.querySelector('h1')?.textContent === 'Disk full'`);
    await app.isAt(`/w/${team.slug}/events/evt_`);
    assert.equal(app.faults, []);
  });
}
