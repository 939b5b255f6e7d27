import * as assert from 'uvu/assert';
import { BOB } from '../support/cast.ts';
import { granted } from '../support/refusals.ts';
import { startTestServer } from '../support/server.ts';
import { assertForEverybody } from './accessibility.ts';
import { openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** The page of heartbeats: members see it, owners and admins add, pause and delete. */
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

  test('A heartbeat is added and deleted in the app by an owner, and seen by a member who changes nothing', async ({
    browser,
  }, opened) => {
    const { server, team } = await startTestServer(opened);
    granted(await team.store.updateChannel({ workspace: 'acme', slug: 'alerts', name: 'Payments' }));
    await team.join(BOB);
    const owner = await openApp(browser, opened);
    await signIn(owner, server.url, team);
    await owner.page.goto(`${server.url}/w/acme/heartbeats`);
    await owner.click('Add heartbeat');
    await owner.fill('slug', 'backup');
    await owner.fill('name', 'Nightly backup');
    await owner.page.select('dialog [name="every"]', '');
    await owner.fill('cron', 'not a schedule');
    await owner.submit();
    await owner.sees('The cron field');
    await owner.fill('cron', '0 3 * * *');
    await assertForEverybody(owner.page, 'adding a heartbeat');
    await owner.submit();
    await owner.sees('Nightly backup is added');
    const [made] = granted(await team.store.listHeartbeats({ workspace: 'acme' }));
    assert.equal([made?.slug, made?.cron, made?.grace], ['backup', '0 3 * * *', 3600]);
    const member = await openApp(browser, opened);
    await signIn(member, server.url, team, BOB);
    await member.page.goto(`${server.url}/channels`);
    await member.click('Heartbeats of acme', 'link');
    await member.sees('Nightly backup');
    await member.page.locator('summary').click();
    await member.sees(`/ping/${made?.uuid}`);
    await member.sees('Payments');
    await member.seesNo('Pause');
    await member.seesNo('Add heartbeat');
    await assertForEverybody(member.page, "a member's heartbeats");
    await owner.page.bringToFront();
    await owner.page.locator('summary').click();
    await owner.click('Delete Nightly backup');
    await owner.submit();
    await member.page.bringToFront();
    await member.sees('No heartbeats yet');
    assert.equal([...owner.faults, ...member.faults], []);
  });
}
