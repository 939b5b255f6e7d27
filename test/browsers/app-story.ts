import * as assert from 'uvu/assert';
import { codeFor } from '../support/sign-in.ts';
import { openApp, signIn } from './app-page.ts';
import { PLAIN_HOST } from './browser.ts';
import type { BrowserTest } from './story.ts';

/** Tells the stories of the web app for every browser. */
export function appStory(test: BrowserTest): void {
  test.smoke(
    'A pairing link signs in and leaves the address, and each title and text runs in the direction of its own script',
    async ({ browser, server, sandbox, team }, opened) => {
      await team.addDevice(sandbox, { platform: 'android' });
      await team.post({ title: 'القرص ممتلئ (db-1): 98%', description: 'Only 2 GB are left.' });
      await team.post({ title: 'Disk full', description: 'הדיסק מלא, db-1.' });
      const app = await openApp(browser, opened);
      const { page, faults } = app;
      await signIn(app, server.url, team);
      assert.is(await page.evaluate('location.href'), `${server.url}/`);
      await app.sees('Disk full');
      const directions = (selector: string) =>
        page.$$eval(selector, (all) => all.map((element) => getComputedStyle(element).direction));
      assert.equal(await directions('.event-title'), ['ltr', 'rtl']);
      assert.equal(await directions('.event-text'), ['rtl', 'ltr']);
      await page.locator('.event-title').click();
      await page.waitForSelector('.prose');
      assert.equal([await directions('h1'), await directions('.prose')], [['ltr'], ['rtl']]);
      await page.waitForFunction(`document.activeElement?.textContent === 'Disk full'`);
      assert.equal(faults, []);
    },
  );

  test('At an address that is not encrypted the app says so, and leaves the link for one that is', async ({
    browser,
    server,
    team,
  }, opened) => {
    const code = await codeFor(team, team.owner);
    const app = await openApp(browser, opened);
    const { port } = new URL(server.url);
    await app.page.goto(`http://${PLAIN_HOST}:${port}/#pair=${code}`);
    await app.sees('This address is not encrypted');
    assert.is(await app.page.$('button'), null);
    await signIn(app, server.url, team, team.owner, code);
    // Chromium says of a header that it counts for nothing there.
    assert.equal(
      app.faults.filter((fault) => !fault.includes('Cross-Origin-Opener-Policy')),
      [],
    );
  });
}
