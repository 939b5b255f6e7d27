import * as assert from 'uvu/assert';
import { aTeam, serveHere, serverEnv } from '../support/server.ts';
import { openApp, signIn } from './app-page.ts';
import { fillWorkspace } from './busy-workspace.ts';
import type { BrowserTest } from './story.ts';

/** The pages about a workspace of a whole company. */
export function dashboardStory(test: BrowserTest): void {
  test('The dashboard of a workspace of 500 members, 2,000 devices and 100,000 events is there', async (parts, opened) => {
    const env = await serverEnv(parts.sandbox);
    await fillWorkspace(env);
    const server = await serveHere(opened, env);
    const team = opened.add(await aTeam(env, server.url));
    const app = await openApp(parts.browser, opened);
    await signIn(app, server.url, team);
    const open = (place: string) => app.page.goto(`${server.url}/w/acme${place}`);
    await open('?since=365d');
    await app.sees('100,000 events');
    await app.page.waitForSelector('canvas[role="img"]');
    await open('/events?q=disk+nearly');
    await app.sees('Disk nearly full on db-');
    await app.click('Show more');
    await app.page.waitForFunction(`document.querySelectorAll('.event').length > 50`);
    await open('/devices');
    await app.sees('ada@example.com');
    await app.click('Show more');
    await app.page.waitForFunction(`document.querySelectorAll('.line').length > 50`);
    await open('/channels');
    await app.sees('1,950 devices');
    assert.equal(app.faults, []);
  });
}
