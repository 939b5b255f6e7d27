import * as assert from 'uvu/assert';
import { codeFor, letProofsExpire } from '../support/sign-in.ts';
import { openSignedIn } from './app-page.ts';
import { holdAnswers } from './held-answers.ts';
import { postWith, shownKey } from './keys.ts';
import type { BrowserTest } from './story.ts';

/** A blank at its end is a part of it. */
const PASSWORD = 'correct horse battery staple ';

/** Tells stories of owners and admins in dialogs that ask before an act, or offer an undo afterwards. */
export function dialogsStory(test: BrowserTest): void {
  test('A password or a code confirms the person, and a key is issued, shown until it is saved, rotated and revoked', async (parts, opened) => {
    const { server, team, env } = parts;
    await team.join(team.bob, { role: 'admin', password: PASSWORD });
    const app = await openSignedIn(parts, opened, team.bob);
    letProofsExpire(env.PUSHCTL_DATA_DIR ?? '');
    await app.page.goto(`${server.url}/w/${team.slug}/keys`);
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
    await app.page.keyboard.press('Escape');
    const key = await shownKey(app);
    assert.is(await postWith(server.url, key), 202);
    await app.click('I have saved it');
    await app.page.locator('.line-name[title="CI"]').click();
    await app.click('Rotate CI');
    await app.click('Rotate');
    await app.sees('Save this key now');
    const next = await shownKey(app);
    await app.click('I have saved it');
    await app.sees('CI, the old key');
    for (const apiKey of [key, next]) assert.is(await postWith(server.url, apiKey), 202);

    letProofsExpire(env.PUSHCTL_DATA_DIR ?? '');
    await app.page.locator('.line-name[title="CI"]').click();
    await app.click('Revoke CI');
    await app.submit();
    await app.sees('Confirm that it is you');
    await app.click('Use a pairing code instead');
    await app.fill('proof', await codeFor(team, team.bob));
    await app.click('Continue');
    await app.sees('CI is revoked.');
    assert.equal([await postWith(server.url, key), await postWith(server.url, next)], [202, 403]);
    assert.equal(app.faults, []);
  });

  test('The question for the password ends with the page that asked it, and a later answer does nothing', async (parts, opened) => {
    const { server, team, env } = parts;
    const app = await openSignedIn(parts, opened);
    letProofsExpire(env.PUSHCTL_DATA_DIR ?? '');
    await app.page.goto(`${server.url}/w/${team.slug}/keys`);
    await app.click('Issue key');
    await app.fill('name', 'CI');
    await app.submit();
    await app.page.waitForFunction(`document.activeElement?.name === 'proof'`);
    await app.show(`/w/${team.slug}/members`);
    await app.sees(team.owner);
    await app.page.waitForFunction(`document.querySelector('dialog') === null`);
    await app.show(`/w/${team.slug}/keys`);
    await app.click('Issue key');
    assert.is(await app.page.$('[name="proof"]'), null);
    assert.equal(app.faults, []);
  });

  test('A second press of Enter before the answer sends no second invitation, and the button keeps the focus', async (parts, opened) => {
    const { server, team } = parts;
    const app = await openSignedIn(parts, opened);
    await app.page.goto(`${server.url}/w/${team.slug}/members`);
    let invitations = 0;
    app.page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/members')) invitations += 1;
    });
    await app.click('Invite');
    await app.fill('email', team.bob);
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
}
