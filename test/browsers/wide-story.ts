import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { startTestServer } from '../support/server.ts';
import { assertForEverybody, tooWideAt } from './accessibility.ts';
import { openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

const WIDE = { width: 1200, height: 800 };

/** The inbox where there is room for an event beside it, and its keys. */
export function wideStory(test: BrowserTest): void {
  test('On a wide screen the chosen event stands beside the list, by mouse and by keys, with Back and after a reload', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    // More than fit on the screen, and than a page has.
    for (let nth = 1; nth <= 52; nth += 1) {
      await team.post({ title: `Event ${nth}`, description: `Text ${nth}.`, level: nth % 2 ? 'error' : 'info' });
    }
    const app = await openApp(browser, opened);
    await app.page.setViewport(WIDE);
    await signIn(app, server.url, team);
    const rows = (count: number) =>
      app.page.waitForFunction(`document.querySelectorAll('.event-title').length === ${count}`);
    const isBeside = async (nth: number, count = 50) => {
      await app.page.waitForFunction(`document.querySelector('.split-event h1')?.textContent === 'Event ${nth}'`);
      await app.page.waitForFunction(
        `document.querySelector('.split-list [aria-current]')?.lastChild.textContent === 'Event ${nth}'`,
      );
      await app.isAt('/events/evt_');
      await rows(count);
      await app.page.waitForFunction(`document.title.includes('Event ${nth} ·')`);
    };
    await app.sees('Choose an event');
    await assertForEverybody(app.page, 'the inbox on a wide screen');
    await app.click('Unread: Event 50', 'link');
    await isBeside(50);
    await app.page.waitForFunction(`document.activeElement?.textContent === 'Event 50'`);
    await assertForEverybody(app.page, 'an event beside the inbox');
    assert.equal(await tooWideAt(app.page, 1_100), []);
    await app.page.keyboard.press('j');
    await isBeside(49);
    await app.page.keyboard.press('j');
    await isBeside(48);
    await app.page.keyboard.press('ArrowUp');
    await isBeside(49);
    await app.page.goBack();
    await isBeside(48);
    await app.page.reload();
    await isBeside(48);

    await app.page.keyboard.press('u');
    await app.sees('Choose an event');
    await app.isAt('/');
    await app.page.waitForFunction(`document.title.includes('Inbox ·')`);
    await app.page.waitForFunction(
      `document.querySelector('.event-unread a:focus')?.lastChild.textContent === 'Event 48'`,
    );
    await app.page.keyboard.press('k');
    await isBeside(49);
    await app.page.keyboard.press('e');
    await app.sees('Choose an event');

    await app.show('/?level=error');
    await rows(26);
    await app.click('Event 49', 'link');
    await isBeside(49, 26);
    await app.click('Settings', 'link');
    await app.sees('Where you are signed in');
    await app.page.goBack();
    await isBeside(49, 26);
    await app.page.setViewport({ width: 1_000, height: 800 });
    await app.page.waitForFunction(`document.querySelector('.split') === null`);
    await app.sees('Text 49.');
    await app.click('Back to the inbox', 'link');
    await rows(26);
    await app.isAt('/?level=error');
    assert.equal(app.faults, []);
  });

  test('With unread events alone the chosen one stays in its place once it is read, and j and k go on from there', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    for (let nth = 1; nth <= 60; nth += 1) await team.post({ title: `Event ${nth}` });
    const app = await openApp(browser, opened);
    await app.page.setViewport(WIDE);
    await signIn(app, server.url, team);
    await app.show('/?unread=true');
    const first = (titles: string) =>
      app.page.waitForFunction(
        `[...document.querySelectorAll('.split-list .event-title')].slice(0, 5).map((one) => (one.closest('.event-unread') ? '' : '-') + one.lastChild.textContent.slice(6) + (one.hasAttribute('aria-current') ? '!' : '')).join() === '${titles}'`,
      );
    await first('60,59,58,57,56');
    await app.click('Unread: Event 58', 'link');
    await first('60,59,-58!,57,56');
    await app.page.keyboard.press('j');
    await first('60,59,-57!,56,55');
    await app.page.keyboard.press('k');
    await first('60,-59!,56,55,54');
    await app.page.keyboard.press('j');
    await first('60,-56!,55,54,53');
    assert.equal(app.faults, []);
  });

  test('An alert that is chosen beside the list is put off and resolved by keys', async ({ browser }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    granted(await team.store.updateChannel({ workspace: 'acme', slug: 'alerts', insist: { repeat: 60, until: 600 } }));
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Deploy finished' });
    await team.post({ title: 'Disk full', delivery_urgency: 'time_sensitive' });
    const app = await openApp(browser, opened);
    await app.page.setViewport(WIDE);
    await signIn(app, server.url, team);
    await app.sees('Needs someone');
    await app.page.keyboard.press('j');
    await app.page.waitForFunction(`document.title.includes('Disk full ·')`);
    await app.page.keyboard.press('s');
    await app.click('30 min');
    await app.sees('Taken');
    await app.page.waitForFunction(`document.querySelector('.split-event').innerText.includes('opens again:')`);
    await app.page.keyboard.press('e');
    await app.page.waitForFunction(`document.querySelector('.split-event').innerText.includes('Resolved by')`);
    await app.seesNo('Taken');
    assert.equal(app.faults, []);
  });

  test('The filter of the inbox says how much is unread in each channel', async ({ browser }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    granted(await team.store.createChannel({ workspace: 'acme', slug: 'deploys', name: 'Deploys' }));
    await team.addDevice(sandbox, { platform: 'android' });
    await team.addDevice(sandbox, { platform: 'android' }, 'deploys');
    for (let nth = 0; nth < 3; nth += 1) await team.post({ title: `Deploy ${nth}`, channel: 'deploys' });
    await team.post({ title: 'Disk full' });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.click('Filter');
    const options = `[...document.querySelectorAll('[name="channel"] option')].map((one) => one.textContent).slice(1).sort().join()`;
    const says = (text: string) => app.page.waitForFunction(`(${options}) === ${JSON.stringify(text)}`);
    await says('Deploys (3 unread),alerts (1 unread)');
    await app.click('Unread: Deploy 2', 'link');
    await app.click('Back to the inbox', 'link');
    await app.click('Filter');
    await says('Deploys (2 unread),alerts (1 unread)');
    await app.click('Mark all as read');
    await says('Deploys,alerts');
    assert.equal(app.faults, []);
  });

  test('On a phone the keys put an alert off, resolve it, and keep an event unread', async ({ browser }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    granted(await team.store.updateChannel({ workspace: 'acme', slug: 'alerts', insist: { repeat: 60, until: 600 } }));
    await team.addDevice(sandbox, { platform: 'android' });
    const { public_id: id } = (await team.post({ title: 'Disk full', delivery_urgency: 'time_sensitive' })).body.event;
    const app = await openApp(browser, opened);
    await app.page.setViewport({ width: 390, height: 844 });
    await signIn(app, server.url, team);
    await app.show(`/events/${id}`);
    await app.sees("I've got it");
    await app.page.waitForFunction(`document.title.includes('Disk full ·')`);
    await app.page.keyboard.press('s');
    await app.sees('30 min');
    await app.page.keyboard.press('s');
    await app.seesNo('30 min');
    await app.page.keyboard.press('s');
    await app.click('2 h');
    await app.sees('opens again:');
    await app.page.keyboard.press('e');
    await app.sees('Resolved by');
    await app.page.keyboard.press('u');
    await app.isAt('/');
    await app.page.waitForSelector('.event-unread');
    assert.equal(app.faults, []);
  });
}
