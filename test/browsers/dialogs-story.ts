import * as assert from 'uvu/assert';
import { ADA, BOB } from '../support/cast.ts';
import { granted } from '../support/refusals.ts';
import { startTestServer } from '../support/server.ts';
import { codeFor, letProofsExpire } from '../support/sign-in.ts';
import { openApp, signIn } from './app-page.ts';
import { holdAnswers } from './held-answers.ts';
import { postWith, shownKey } from './keys.ts';
import { fromMenu } from './menus.ts';
import { giveRole } from './roles.ts';
import type { BrowserTest } from './story.ts';

/** A blank at its end is a part of it. */
const PASSWORD = 'correct horse battery staple ';

/** What owners and admins do in dialogs that ask before, or afterwards offer the way back. */
export function dialogsStory(test: BrowserTest): void {
  test('A password shows who one is: a wrong one is reported in the dialog, the right one does what was asked for', async ({
    browser,
  }, opened) => {
    const { server, team, env } = await startTestServer(opened);
    await team.join(BOB, { role: 'admin', password: PASSWORD });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team, BOB, await codeFor(team, BOB));
    letProofsExpire(env.PUSHCTL_DATA_DIR ?? '');
    await app.page.goto(`${server.url}/w/acme/keys`);
    await app.click('Issue key');
    await app.fill('name', 'CI');
    await app.submit();
    await app.page.waitForFunction(`document.activeElement?.name === 'proof'`);
    await app.fill('proof', 'not my password');
    await app.click('Continue');
    await app.sees('password is wrong');
    await app.fill('proof', PASSWORD);
    await app.click('Continue');
    await app.sees('Save this key now');
    assert.is(await postWith(server.url, await shownKey(app)), 202);
    await app.click('I have saved it');
    // It counts for a while.
    await app.click('Revoke CI');
    await app.submit();
    await app.sees('CI is revoked.');
    assert.equal(app.faults, []);
  });

  test('The question who one is ends with the page that asked it, and nothing is done by a later answer', async ({
    browser,
  }, opened) => {
    const { server, team, env } = await startTestServer(opened);
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    letProofsExpire(env.PUSHCTL_DATA_DIR ?? '');
    await app.page.goto(`${server.url}/w/acme/keys`);
    await app.click('Issue key');
    await app.fill('name', 'CI');
    await app.submit();
    await app.page.waitForFunction(`document.activeElement?.name === 'proof'`);
    await app.show('/w/acme/members');
    await app.sees(ADA);
    await app.page.waitForFunction(`document.querySelector('dialog') === null`);
    await app.show('/w/acme/keys');
    await app.click('Issue key');
    assert.is(await app.page.$('[name="proof"]'), null);
    assert.equal(app.faults, []);
  });

  test('A rotated key goes on beside the new one, which is shown this once', async ({ browser }, opened) => {
    const { server, team } = await startTestServer(opened);
    const { text: old } = await team.issueKey({ name: 'GitLab' });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/acme/keys`);
    await app.click('Rotate GitLab');
    await app.click('Rotate');
    await app.sees('Save this key now');
    const next = await shownKey(app);
    await app.click('I have saved it');
    await app.sees('GitLab, the old key');
    for (const key of [old, next]) assert.is(await postWith(server.url, key), 202);
    assert.is.not(next, old);
  });

  test('A role is changed and taken back, and counts for its holder at once', async ({ browser }, opened) => {
    const { server, team } = await startTestServer(opened);
    await team.join(BOB);
    const roleOf = async (email: string) =>
      granted(await team.store.listMembers({ workspace: 'acme' })).find((one) => one.email === email)?.role;
    const theirs = await openApp(browser, opened);
    await signIn(theirs, server.url, team, BOB);
    await theirs.page.goto(`${server.url}/w/acme`);
    await theirs.sees('Only owners and admins of acme see this');
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/acme/members`);
    await giveRole(app, BOB, 'Member', 'admin');
    await app.sees(`${BOB} is now an admin.`);
    assert.is(await roleOf(BOB), 'admin');
    await theirs.page.bringToFront();
    await theirs.sees('Overview');
    await app.page.bringToFront();
    await app.click('Undo');
    await app.sees(`${BOB} is now a member.`);
    assert.is(await roleOf(BOB), 'member');
    // A workspace keeps an owner.
    await giveRole(app, ADA, 'Owner', 'member');
    await app.page.waitForSelector('dialog [role="alert"]');
    assert.is(await roleOf(ADA), 'owner');
    assert.equal([...app.faults, ...theirs.faults], []);
  });

  test('Who presses Enter again before the answer is there invites once, and the button keeps the focus', async ({
    browser,
  }, opened) => {
    const { server, team } = await startTestServer(opened);
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/acme/members`);
    let invitations = 0;
    app.page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/members')) invitations += 1;
    });
    await app.click('Invite');
    await app.fill('email', BOB);
    const answers = await holdAnswers(app.page, '/members');
    await app.page.focus('dialog [type="submit"]');
    await app.page.keyboard.press('Enter');
    await answers.first();
    await app.page.waitForFunction(`document.activeElement.matches('[type="submit"][aria-disabled="true"]')`);
    await app.page.keyboard.press('Enter');
    await answers.letGo();
    await app.page.waitForSelector('.qr path');
    assert.is(invitations, 1);
    assert.equal(app.faults, []);
  });

  test('A channel is deleted by who confirms it, and nothing can be posted to it any more', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Disk full' });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/acme/channels`);
    await fromMenu(app, 'alerts', 'Delete alerts');
    await app.sees('the subscriptions of 1 device');
    await app.click('Cancel');
    await app.page.waitForFunction(`document.querySelector('dialog') === null`);
    assert.is((await team.post({ title: 'Disk still full' })).status, 202);
    await fromMenu(app, 'alerts', 'Delete alerts');
    await app.submit();
    await app.sees('alerts is deleted.');
    await app.sees('No channels yet');
    assert.is((await team.post({ title: 'Nobody gets it' })).status, 404);
    assert.equal(app.faults, []);
  });
}
