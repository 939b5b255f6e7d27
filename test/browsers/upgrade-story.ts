import type { Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import type { Resources } from '../support/resources.ts';
import { aTeam, type Env, serveHere, serverEnv } from '../support/server.ts';
import { openApp, openTab, signIn } from './app-page.ts';
import { anotherBuild } from './other-build.ts';
import type { BrowserTest } from './story.ts';
import { startWebProxy } from './web-proxy.ts';

/** Tabs that are open while the server gets another build of the app. */
export function upgradeStory(test: BrowserTest): void {
  test('A tab from before an upgrade goes on with its kept parts, also beside a new tab, until a reload', async (parts, opened) => {
    const upgrade = await beforeUpgrade(opened, await serverEnv(parts.sandbox));
    const old = await openApp(parts.browser, opened);
    await signIn(old, upgrade.url, upgrade.team);
    await old.page.waitForFunction('navigator.serviceWorker.controller !== null');
    const before = await buildOf(old.page);
    await upgrade.serveAnotherBuild();
    await old.seesNo('The server does not answer');
    await old.sees('A new version of this app is available.');
    await old.click('Devices', 'link');
    await old.sees('Get notifications in this browser');

    const tab = await openTab(old, opened);
    await tab.page.goto(upgrade.url);
    await tab.sees('No events yet');
    const after = await buildOf(tab.page);
    assert.is.not(after, before);
    await tab.page.waitForFunction(KEPT(after));
    await old.page.bringToFront();
    await old.click('Settings', 'link');
    await old.sees('Where you are signed in');
    assert.is(await buildOf(old.page), before);

    await old.page.reload();
    await old.sees('Where you are signed in');
    assert.is(await buildOf(old.page), after);
    assert.equal([...old.faults, ...tab.faults], []);
  });

  test('If nothing was kept, a tab from before an upgrade comes to the page in the new build', async (parts, opened) => {
    const upgrade = await beforeUpgrade(opened, await serverEnv(parts.sandbox));
    const app = await openApp(parts.browser, opened);
    // Removes the workers, as an untrusted address or the person's settings do.
    await app.page.evaluateOnNewDocument('delete Navigator.prototype.serviceWorker');
    await signIn(app, upgrade.url, upgrade.team);
    const before = await buildOf(app.page);
    await upgrade.serveAnotherBuild();
    await app.seesNo('The server does not answer');
    await app.click('Settings', 'link');
    await app.sees('Where you are signed in');
    assert.is.not(await buildOf(app.page), before);
    assert.is(new URL(app.page.url()).pathname, '/settings');
  });
}

/** A server with the app as it was built, and how it comes back with another build at the same address. */
async function beforeUpgrade(opened: Resources, env: Env) {
  const before = await serveHere(opened, env);
  // The address stays while another program may take the port.
  const proxy = opened.add(await startWebProxy(before.url));
  const team = await aTeam(env, before.url);
  return {
    url: proxy.url,
    team,
    async serveAnotherBuild() {
      await team.close();
      await before.stop();
      proxy.lead((await serveHere(opened, env, { webFolder: anotherBuild() })).url);
    },
  };
}

/** The script that the page began with. */
function buildOf(page: Page): Promise<string> {
  return page.$eval('script[type="module"]', (script) => script.getAttribute('src') ?? '');
}

/** Whether a worker has kept what begins with this script. */
const KEPT = (script: string) => `caches.match('${script}').then((kept) => kept !== undefined)`;
