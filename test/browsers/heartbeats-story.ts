import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { startTestServer } from '../support/server.ts';
import { assertForEverybody } from './accessibility.ts';
import { openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** The page of heartbeats, for owners and admins. */
export function heartbeatsStory(test: BrowserTest): void {
  test('A heartbeat shows its state and how a job reports, live, and is paused and resumed', async ({
    browser,
  }, opened) => {
    const { server, team } = await startTestServer(opened);
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/acme/heartbeats`);
    await app.sees('No heartbeats yet');
    const named = { workspace: 'acme', channel: 'alerts', slug: 'backup', name: 'Nightly backup' };
    const { uuid } = granted(await team.store.createHeartbeat(named));
    await app.sees('Not pinged yet');
    await app.page.locator('summary').click();
    await app.sees(`/ping/${uuid}`);
    assert.is((await fetch(`${server.url}/ping/${uuid}/fail`, { method: 'POST', body: 'no space left' })).status, 200);
    await app.sees('Down');
    await app.sees('no space left');
    await app.click('Pause Nightly backup');
    await app.sees('Paused');
    await app.click('Resume Nightly backup');
    await app.sees('Not pinged yet');
    await assertForEverybody(app.page, 'heartbeats');
    assert.equal(app.faults, []);
  });
}
