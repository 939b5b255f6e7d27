import * as assert from 'uvu/assert';
import { startTestServer } from '../support/server.ts';
import { assertForEverybody } from './accessibility.ts';
import { openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** Where everybody comes, and how one knows that all of it is there. */
const PAGES = [
  ['/', 'Deploy finished'],
  ['/?level=warning', 'Nothing found'],
  ['/channels', 'alerts'],
  ['/devices', 'Get alerts in this browser'],
  ['/settings', 'Where you are signed in'],
  ['/nowhere-that-is', 'Nothing here'],
] as const;

/** What every page of the app must be like, however it is looked at. */
export function looksStory(test: BrowserTest): void {
  test('Each page can be read and used by all, in light and dark, and fits a narrow phone', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Deploy finished', level: 'success', event_type: 'deploy.done' });
    const { event } = (await team.post({ title: 'Disk full', delivery_urgency: 'time_sensitive' })).body;
    const app = await openApp(browser, opened);
    await app.page.goto(server.url);
    await app.sees('With a password');
    await assertForEverybody(app.page, '/ (signed out)');
    await signIn(app, server.url, team);
    for (const [path, text] of [...PAGES, [`/events/${event.public_id}`, 'Received'] as const]) {
      await app.show(path);
      await app.sees(text);
      await assertForEverybody(app.page, path);
    }
    assert.equal(app.faults, []);
  });
}
