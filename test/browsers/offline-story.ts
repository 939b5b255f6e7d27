import * as assert from 'uvu/assert';
import { startTestServer } from '../support/server.ts';
import { openApp, signIn } from './app-page.ts';
import { goOffline } from './offline.ts';
import type { BrowserTest } from './story.ts';

/** An app in a browser without a network. */
export function offlineStory(test: BrowserTest): void {
  test('Offline the app says so and keeps what it shows, starts from what is kept, and catches up by itself', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Before' });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.sees('Before');
    await app.page.waitForFunction('navigator.serviceWorker.controller !== null');

    const goOnline = await goOffline(app.page);
    await app.sees('You are offline. What is shown is from');
    await app.sees('Before');
    await app.page.reload();
    await app.sees('You are offline. This page goes on as soon as there is a network.');
    await app.seesNo('With a password');
    await app.click('Settings', 'link');
    await app.sees('Where you are signed in');
    await app.click('Inbox', 'link');
    await team.post({ title: 'Meanwhile' });
    await goOnline();
    await app.sees('Meanwhile');
    await app.seesNo('You are offline');
    await app.page.waitForSelector('.nav-group');
    await team.post({ title: 'Afterwards' });
    await app.sees('Afterwards');
    assert.equal(app.faults, []);
  });
}
