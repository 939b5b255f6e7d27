import * as assert from 'uvu/assert';
import { startTestServer } from '../support/server.ts';
import { openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** A person's sign-ins: further devices by code, passwords, and the end of sessions. */
export function settingsStory(test: BrowserTest): void {
  test('A code from the settings signs another browser in, whose session can be ended there', async (parts, opened) => {
    const { server, team } = await startTestServer(opened);
    const one = await openApp(parts.browser, opened);
    await signIn(one, server.url, team);
    await one.click('Settings', 'link');
    await one.click('Make a code');
    await one.page.waitForSelector('.qr path');
    const code = await one.page.$$eval('.ways pre', (all) => all[1]?.textContent ?? '');
    assert.match(code, /^[0-9A-Z]{5}-[0-9A-Z]{5}$/);

    const other = await openApp(parts.browser, opened);
    await other.page.goto(`${server.url}/devices`);
    await other.page.locator('input[name="code"]').fill(code.toLowerCase().replace('-', ' '));
    await other.page.keyboard.press('Enter');
    await other.sees('Get alerts in this browser');

    await one.page.bringToFront();
    await one.click('End');
    await one.page.locator('dialog .danger').click();
    await one.page.waitForFunction(`document.querySelector('dialog') === null`);
    // It hears of it, at the latest when it is looked at; loaded anew, it would only ask to sign in.
    await other.page.bringToFront();
    await other.sees('Your session has ended');
    assert.equal([...one.faults, ...other.faults], []);
  });

  test('Single keys do nothing in a browser where they are switched off', async ({ browser }, opened) => {
    const { server, team } = await startTestServer(opened);
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.show('/settings');
    await app.clickText('Single keys act in this browser');
    assert.is(await app.press('?', 'g', 'd'), '/settings');
    assert.is(await app.page.$('dialog'), null);
    await app.page.reload();
    await app.sees('Where you are signed in');
    assert.is(await app.press('g', 'd'), '/settings');
    await app.clickText('Single keys act in this browser');
    await app.pressTo('/devices', 'g', 'd');
    assert.equal(app.faults, []);
  });

  test('A password is set in the settings, and signs in', async ({ browser }, opened) => {
    const { server, team } = await startTestServer(opened);
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.click('Settings', 'link');
    await app.clickText('Change the password');
    await app.page.locator('input[name="new"]').fill('another horse, another battery');
    await app.page.keyboard.press('Enter');
    await app.sees('The password is changed');
    await app.click('Sign out');
    await app.sees('With a password');
    await app.page.locator('summary').click();
    await app.page.locator('input[name="email"]').fill('ada@example.com');
    await app.page.locator('input[name="password"]').fill('another horse, another battery');
    await app.page.keyboard.press('Enter');
    await app.sees('Where you are signed in');
    assert.equal(app.faults, []);
  });
}
