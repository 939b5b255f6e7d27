import * as assert from 'uvu/assert';
import { codeFor } from '../support/sign-in.ts';
import { assertForEverybody } from './accessibility.ts';
import { openApp } from './app-page.ts';
import type { BrowserTest } from './story.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Safari/604.1';

interface Manifest {
  readonly id: string;
  readonly start_url: string;
  readonly display: string;
  readonly icons: readonly { readonly src: string; readonly sizes: string; readonly purpose?: string }[];
}

/** The sizes that the pictures really have, as the browser draws them. */
const DRAWN = (sources: readonly string[]) => `Promise.all(${JSON.stringify(sources)}.map(async (src) => {
  const image = new Image();
  image.src = src;
  await image.decode();
  return image.naturalWidth + 'x' + image.naturalHeight;
}))`;

/** Checks that the pages make an app: installable, and there without a server. */
export function installStory(test: BrowserTest): void {
  test('The app can be installed: its manifest has what browsers ask for, and icons of the sizes that it says', async (parts, opened) => {
    const { server } = parts;
    const { page, faults } = await openApp(parts.browser, opened);
    await page.goto(server.url);
    const manifest = (await page.evaluate(
      `fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json())`,
    )) as Manifest;
    assert.equal([manifest.id, manifest.start_url, manifest.display], ['/', '/', 'standalone']);
    const sizes = manifest.icons.map((icon) => icon.sizes);
    assert.ok(sizes.includes('192x192') && sizes.includes('512x512'), sizes.join());
    assert.ok(manifest.icons.some(({ purpose }) => purpose === 'maskable'));
    assert.equal(await page.evaluate(DRAWN(manifest.icons.map(({ src }) => src))), sizes);
    assert.equal(faults, []);
  });

  test('On an iPhone a link explains how to install the app first and keeps its code for the app', async ({
    browser,
    server,
    team,
  }, opened) => {
    const code = await codeFor(team, team.owner);
    const tab = await openApp(browser, opened);
    await tab.page.evaluateOnNewDocument(`Object.defineProperty(navigator, 'userAgent', { value: '${IPHONE}' })`);
    await tab.page.goto(`${server.url}/#pair=${code}`);
    await tab.sees('Add this app to the Home Screen first');
    assert.is(await tab.page.$eval('pre', (pre) => pre.textContent), code);
    await tab.click('Sign in here instead');
    await tab.sees('It works once.');

    const app = await openApp(browser, opened);
    await app.page.goto(server.url);
    await app.page.locator('input[name="code"]').fill(code);
    await app.page.keyboard.press('Enter');
    await app.sees('You are signed in as');
    await app.sees('Get notifications in this browser');
    await assertForEverybody(app.page, 'the welcome');
    await app.click('Go to the inbox');
    await app.sees('No events yet');
    assert.equal([...tab.faults, ...app.faults], []);
  });
}
