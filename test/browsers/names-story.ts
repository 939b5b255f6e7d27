import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { codeFor } from '../support/sign-in.ts';
import { openSignedIn } from './app-page.ts';
import { fromMenu } from './menus.ts';
import type { BrowserTest } from './story.ts';

/** The focused element as a screen reader names it. */
const FOCUSED = `document.activeElement.ariaLabel ?? document.activeElement.textContent`;

const isFocused = (name: string) => `(${FOCUSED}) === ${JSON.stringify(name)}`;

/** Names of people and workspaces, and the way of the focus through menus and deletions. */
export function namesStory(test: BrowserTest): void {
  test('The open app of a member shows new names of people and of the workspace', async (parts, opened) => {
    const { server, team } = parts;
    await team.join(team.bob);
    const theirs = await openSignedIn(parts, opened, team.bob);
    await theirs.page.goto(`${server.url}/settings`);
    await theirs.sees('Where you are signed in');
    const app = await openSignedIn(parts, opened);
    await app.show('/settings');
    await app.click('Change your name');
    await app.fill('name', 'Ada Lovelace');
    await app.submit();
    await app.sees(`Ada Lovelace, ${team.owner}`);
    await app.page.waitForFunction(isFocused('Change your name'));
    await app.show(`/w/${team.slug}`);
    await app.click('Rename workspace');
    await app.sees(`keep using the slug ${team.slug}`);
    await app.fill('name', 'Wile & Sons');
    await app.submit();
    await app.sees('Wile & Sons');
    await app.page.waitForFunction(isFocused('Rename workspace'));
    await app.page.goto(`${server.url}/w/${team.slug}/members`);
    await app.sees('Ada Lovelace');
    await app.sees('Wile & Sons');
    await theirs.page.bringToFront();
    await theirs.sees('Wile & Sons');
    await theirs.show(`/w/${team.slug}`);
    await theirs.sees('Only owners and admins of Wile & Sons see this');
    assert.equal([...app.faults, ...theirs.faults], []);
  });

  test('Invite keeps its addresses through a new sign-in', async (parts, opened) => {
    const { team } = parts;
    const app = await openSignedIn(parts, opened);
    await app.show(`/w/${team.slug}/members`);
    await app.click('Invite');
    const addresses = `${team.bob}, ${team.carl}`;
    await app.fill('email', addresses);
    granted(await team.store.closeSessions({ email: team.owner }));
    await app.sees('Your session has ended');
    await app.fill('code', await codeFor(team, team.owner));
    await app.submit();
    await app.click('Invite');
    await app.page.waitForFunction(
      `document.querySelector('dialog[open] [name="email"]')?.value === ${JSON.stringify(addresses)}`,
    );
    await app.submit();
    await app.sees(team.carl);
    assert.equal(app.faults, []);
  });

  test('After a menu and after a deletion, the focus is on the row or on the next one, never lost', async (parts, opened) => {
    const { server, team } = parts;
    await team.join(team.bob);
    await team.join(team.carl);
    await openSignedIn(parts, opened);
    const app = await openSignedIn(parts, opened);
    await app.page.goto(`${server.url}/w/${team.slug}/members`);
    const menu = `More for ${team.bob}`;
    await app.page.locator(`summary[aria-label="${menu}"]`).click();
    await app.page.keyboard.press('Tab');
    await app.page.waitForFunction(`document.activeElement.matches('.row-menu-list *')`);
    await app.page.keyboard.press('Escape');
    await app.page.waitForFunction(isFocused(menu));
    await fromMenu(app, team.bob, `Remove ${team.bob}`);
    await app.page.waitForSelector('dialog[open]');
    await app.page.keyboard.press('Escape');
    await app.page.waitForFunction(isFocused(menu));
    await fromMenu(app, team.bob, `Remove ${team.bob}`);
    await app.submit();
    await app.sees(`${team.bob} is removed.`);
    await app.page.waitForFunction(isFocused(team.carl));

    await app.page.goto(`${server.url}/settings`);
    await app.click('End');
    await app.submit();
    await app.page.waitForFunction(`document.querySelector('dialog') === null`);
    await app.page.waitForFunction(isFocused('Settings'));
    assert.equal(app.faults, []);
  });
}
