import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { openApp, openSignedIn, signIn } from './app-page.ts';
import { fromMenu } from './menus.ts';
import { giveRole } from './roles.ts';
import type { BrowserTest } from './story.ts';

/** A member added to another workspace, or promoted, opens the link that comes with it. */
export function invitationStory(test: BrowserTest): void {
  test('A workspace waits for its invitation link; opening it while signed in adds the workspace', async (parts, opened) => {
    const { server, team } = parts;
    const owner = await openApp(parts.browser, opened);
    await signIn(owner, server.url, team);
    await team.join(team.bob);
    const shownLink = async () => {
      await owner.page.waitForSelector('.qr path');
      return new URL(await owner.page.$eval('dialog[open] pre', (pre) => pre.textContent ?? '')).hash;
    };
    await owner.page.goto(`${server.url}/w/${team.slug}/members`);
    await fromMenu(owner, team.bob, `Sign-in link for ${team.bob}`);
    const app = await openApp(parts.browser, opened);
    await app.page.goto(`${server.url}/${await shownLink()}`);
    await app.click('Sign in');
    await app.click('Go to the inbox');

    granted(await team.store.createWorkspace({ slug: 'umbrella', name: 'Umbrella' }));
    await team.join(team.owner, { workspace: 'umbrella', role: 'owner' });
    await team.join(team.bob, { workspace: 'umbrella' });
    await app.page.goto(server.url);
    await app.sees('Umbrella is waiting for your invitation link.');
    await app.page.goto(`${server.url}/w/umbrella/members`);
    await app.sees('Umbrella is waiting for your invitation link');
    await app.click('Settings', 'link');
    await app.sees('Passkeys');
    await app.sees('waiting for your invitation link');

    // The link comes with the promotion.
    await owner.page.goto(`${server.url}/w/umbrella/members`);
    await owner.page.bringToFront();
    await giveRole(owner, team.bob, 'Member', 'admin');
    const link = await shownLink();
    await app.page.bringToFront();
    await app.page.goto(`${server.url}/${link}`);
    await app.sees(`You are signed in as ${team.bob}`);
    await app.click('Use the link');
    await app.sees('Umbrella');
    await app.seesNo('waiting for your invitation link');
    assert.equal([...owner.faults, ...app.faults], []);
  });

  test('A member hears at once that their role is changed, taken back, and their sessions end; whom they let in goes with them', async (parts, opened) => {
    const { server, team } = parts;
    await team.join(team.bob);
    const theirs = await openSignedIn(parts, opened, team.bob);
    await theirs.page.goto(`${server.url}/w/${team.slug}`);
    await theirs.sees(`Only owners and admins of ${team.slug} see this`);
    const app = await openSignedIn(parts, opened);
    await app.page.goto(`${server.url}/w/${team.slug}/members`);
    assert.is(await app.page.$(`[aria-label="Sign out ${team.owner} everywhere"]`), null, 'that is in the settings');
    await giveRole(app, team.bob, 'Member', 'admin');
    await app.sees(`${team.bob} is now an admin.`);
    await theirs.page.bringToFront();
    await theirs.sees('Overview');
    await app.page.bringToFront();
    await app.click('Undo');
    await app.sees(`${team.bob} is now a member.`);

    await fromMenu(app, team.bob, `Sign out ${team.bob} everywhere`);
    await app.sees('Their devices stay');
    await app.submit();
    await app.sees(`${team.bob} is signed out everywhere.`);
    await theirs.page.bringToFront();
    await theirs.sees('Your session has ended');

    await app.page.bringToFront();
    await fromMenu(app, team.bob, `Remove ${team.bob}`);
    await app.page.locator('dialog[open] input[type="checkbox"]').click();
    const asked = app.page.waitForRequest((request) => request.method() === 'DELETE');
    await app.submit();
    assert.match((await asked).url(), /end_invited=true$/);
    await app.sees(`${team.bob} is removed.`);
    assert.equal([...app.faults, ...theirs.faults], []);
  });
}
