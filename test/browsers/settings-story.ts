import * as assert from 'uvu/assert';
import { openApp, openSignedIn, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** A person's sign-ins: further devices by code, passwords, and the end of sessions. */
export function settingsStory(test: BrowserTest): void {
  test.smoke(
    'A code and then a password from the settings sign in another browser; the settings can end its session',
    async (parts, opened) => {
      const { server, team } = parts;
      const app = await openApp(parts.browser, opened);
      await signIn(app, server.url, team);
      await app.click('Settings', 'link');
      await app.click('Make a code');
      await app.page.waitForSelector('.qr path');
      const code = await app.page.$$eval('.ways pre', (all) => all[1]?.textContent ?? '');
      assert.match(code, /^[0-9A-Z]{5}-[0-9A-Z]{5}$/);

      const other = await openApp(parts.browser, opened);
      await other.page.goto(`${server.url}/devices`);
      await other.page.locator('input[name="code"]').fill(code.toLowerCase().replace('-', ' '));
      await other.page.keyboard.press('Enter');
      await other.sees('Get notifications in this browser');

      await app.page.bringToFront();
      await app.click('End');
      await app.page.locator('dialog .danger').click();
      await app.page.waitForFunction(`document.querySelector('dialog') === null`);
      // The app learns it at the latest when it is looked at; after a reload, it would only ask to sign in.
      await other.page.bringToFront();
      await other.sees('Your session has ended');

      await app.page.bringToFront();
      await app.clickText('Change the password');
      await app.page.locator('input[name="new"]').fill('another horse, another battery');
      await app.page.keyboard.press('Enter');
      await app.sees('The password is changed');
      await other.page.bringToFront();
      await other.clickText('With a password');
      await other.page.locator('input[name="email"]').fill(team.owner);
      await other.page.locator('input[name="password"]').fill('another horse, another battery');
      await other.page.keyboard.press('Enter');
      await other.sees('Get notifications in this browser');
      assert.equal([...app.faults, ...other.faults], []);
    },
  );

  test('A browser keeps that single keys do nothing there, and the region and zone that times and numbers are written in', async (parts, opened) => {
    const app = await openSignedIn(parts, opened);
    await app.show('/settings');
    await app.clickText('Use single keys in this browser');
    assert.is(await app.press('?', 'g', 'd'), '/settings');
    assert.is(await app.page.$('dialog'), null);
    await app.page.reload();
    await app.sees('Where you are signed in');
    assert.is(await app.press('g', 'd'), '/settings');
    await app.clickText('Use single keys in this browser');
    await app.show('/settings');
    for (const [nth, value, text] of [
      [-2, 'und-DE', '1.234.567'],
      [-1, 'Asia/Tokyo', 'GMT+9'],
    ] as const) {
      await app.page.waitForFunction(`document.querySelectorAll('.form select').length >= 2`);
      await (await app.page.$$('.form select')).at(nth)?.select(value);
      await app.sees(text);
    }
    await app.press('g', 'd');
    await app.isAt('/devices');
    assert.equal(app.faults, []);
  });
}
