import * as assert from 'uvu/assert';
import { startTestServer } from '../support/server.ts';
import { openApp, signIn } from './app-page.ts';
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
}
