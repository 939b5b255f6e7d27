import * as assert from 'uvu/assert';
import { ADA } from '../support/cast.ts';
import { startTestServer } from '../support/server.ts';
import { codeFor } from '../support/sign-in.ts';
import { openApp, signIn } from './app-page.ts';
import { PLAIN_HOST } from './browser.ts';
import type { BrowserTest } from './story.ts';

/** What the web app does in every browser. */
export function appStory(test: BrowserTest): void {
  test('A pairing link signs in after a click, and the inbox has what was posted', async ({ browser }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Disk full', description: 'db-1 has 2 GB left' });
    const app = await openApp(browser, opened);
    const { page, faults } = app;
    await signIn(app, server.url, team);
    assert.is(await page.evaluate('location.href'), `${server.url}/`);
    await page.locator('.event-title').click();
    await page.waitForSelector('.prose');
    assert.match(await page.$eval('main', (main) => main.textContent ?? ''), 'db-1 has 2 GB left');
    await page.waitForFunction(`document.activeElement?.textContent === 'Disk full'`);
    assert.equal(faults, []);
  });

  test('At an address that is not encrypted the app says so, and leaves the link for one that is', async ({
    browser,
  }, opened) => {
    const { server, team } = await startTestServer(opened);
    const code = await codeFor(team, ADA);
    const app = await openApp(browser, opened);
    const { port } = new URL(server.url);
    await app.page.goto(`http://${PLAIN_HOST}:${port}/#pair=${code}`);
    await app.sees('This address is not encrypted');
    assert.is(await app.page.$('button'), null);
    await signIn(app, server.url, team, ADA, code);
    // Chromium says of a header that it counts for nothing there.
    assert.equal(
      app.faults.filter((fault) => !fault.includes('Cross-Origin-Opener-Policy')),
      [],
    );
  });
}
