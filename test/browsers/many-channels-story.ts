import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { startTestServer } from '../support/server.ts';
import { openApp, signIn } from './app-page.ts';
import { fromMenu } from './menus.ts';
import type { BrowserTest } from './story.ts';

const CHANNELS = 40;
const SHOWN = 20;
const slugOf = (n: number): string => `channel-${String(n).padStart(2, '0')}`;

/** A workspace with more channels than any list of them shows at once. */
export function manyChannelsStory(test: BrowserTest): void {
  test('A key is bound to one of forty channels, found by a search, on the smallest phone as well', async ({
    browser,
  }, opened) => {
    const { server, team } = await startTestServer(opened);
    for (let n = 1; n < CHANNELS; n += 1) {
      granted(await team.store.createChannel({ workspace: 'acme', slug: slugOf(n), name: `Service ${n}` }));
    }
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.setViewport({ width: 320, height: 568 });
    await app.page.goto(`${server.url}/w/acme/keys`);
    await app.click('Issue key');
    await app.fill('name', 'CI');
    await app.sees(`0 chosen, ${CHANNELS} shown`);
    const isOnScreen = `(() => {
      const { top, bottom } = document.querySelector('dialog [type="submit"]').getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    })()`;
    assert.ok(await app.page.evaluate(isOnScreen), 'the button, while the form is at its beginning');
    await app.page.evaluate(`document.querySelector('dialog').scrollTop = 1e6`);
    assert.ok(await app.page.evaluate(isOnScreen), 'the button, while the form is at its end');
    await app.page.locator('dialog [type="search"]').fill('service 37');
    await app.sees('0 chosen, 1 shown');
    await app.page.locator(`dialog [value="${slugOf(37)}"]`).click();
    await app.page.locator('dialog [type="search"]').click({ count: 3 });
    await app.page.keyboard.press('Backspace');
    await app.sees(`1 chosen, ${CHANNELS} shown`);
    await app.submit();
    await app.sees('Save this key now');
    const keys = granted(await team.store.listKeys({ workspace: 'acme' }));
    assert.equal(keys.find(({ name }) => name === 'CI')?.channels, [slugOf(37)]);
    assert.equal(app.faults, []);
  });

  test('What was just done, and the way back, stand at the bottom of what is seen of a long list', async ({
    browser,
  }, opened) => {
    const { server, team } = await startTestServer(opened);
    for (let n = 1; n < CHANNELS; n += 1) {
      granted(await team.store.createChannel({ workspace: 'acme', slug: slugOf(n) }));
    }
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.setViewport({ width: 390, height: 844 });
    await app.page.goto(`${server.url}/w/acme/channels`);
    await fromMenu(app, slugOf(CHANNELS / 2), `Deactivate ${slugOf(CHANNELS / 2)}`);
    await app.sees('Undo');
    const isSeen = `(() => {
      const { top, bottom } = document.querySelector('.toast button').getBoundingClientRect();
      return scrollY > 0 && top > innerHeight / 2 && bottom <= document.querySelector('.nav').getBoundingClientRect().top;
    })()`;
    assert.ok(await app.page.evaluate(isSeen));
    await app.click('Undo');
    await app.seesNo('Undo');
    assert.equal(app.faults, []);
  });

  test('The overview says that it shows the busiest channels alone, and shows them all', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    for (let n = 1; n < SHOWN + 5; n += 1) {
      granted(await team.store.createChannel({ workspace: 'acme', slug: slugOf(n) }));
      await team.post({ channel: slugOf(n), title: 'Disk full' });
    }
    await team.post({ title: 'Disk full' });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/acme`);
    const rows = `document.querySelectorAll('section[aria-label="By channel"] tbody tr').length`;
    await app.page.waitForFunction(`${rows} === ${SHOWN}`);
    await app.click(`Show all ${SHOWN + 5} channels`);
    await app.page.waitForFunction(`${rows} === ${SHOWN + 5}`);
    assert.equal(app.faults, []);
  });
}
