import * as assert from 'uvu/assert';
import { startTestServer } from '../support/server.ts';
import { codeFor } from '../support/sign-in.ts';
import { openApp } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** What the web app does in every browser. */
export function appStory(test: BrowserTest): void {
  test('A pairing link signs in after a click, and the inbox has what was posted', async ({ browser }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Disk full', description: 'db-1 has 2 GB left' });
    const { page, faults } = await openApp(browser, opened);
    await page.goto(`${server.url}/#pair=${await codeFor({ store: team.store }, 'ada@example.com')}`);
    const click = (name: string) => page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
    await click('Sign in');
    await click('Go to the inbox');
    assert.is(page.url(), `${server.url}/`);
    await page.locator('.event-title').click();
    await page.waitForSelector('.prose');
    assert.match(await page.$eval('main', (main) => main.textContent ?? ''), 'db-1 has 2 GB left');
    assert.is(await page.evaluate('document.activeElement.textContent'), 'Disk full');
    assert.equal(faults, []);
  });
}
