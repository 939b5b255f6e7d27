import * as assert from 'uvu/assert';
import { startTestServer } from '../support/server.ts';
import { openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** Texts that are read from right to left, beside others. */
export function scriptsStory(test: BrowserTest): void {
  test('Each title and text runs in the direction of its own script', async ({ browser }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'القرص ممتلئ (db-1): 98%', description: 'Only 2 GB are left.' });
    await team.post({ title: 'Disk full', description: 'הדיסק מלא, db-1.' });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.sees('Disk full');
    const directions = (selector: string) =>
      app.page.$$eval(selector, (all) => all.map((one) => getComputedStyle(one).direction));
    assert.equal(await directions('.event-title'), ['ltr', 'rtl']);
    assert.equal(await directions('.event-text'), ['rtl', 'ltr']);
    await app.page.locator('.event-title').click();
    await app.page.waitForSelector('.prose');
    assert.equal([await directions('h1'), await directions('.prose')], [['ltr'], ['rtl']]);
    assert.equal(app.faults, []);
  });
}
