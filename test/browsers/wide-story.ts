import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { assertForEverybody, tooWideAt } from './accessibility.ts';
import { openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

const WIDE = { width: 1200, height: 800 };

/** The inbox where there is room for an event beside it, and its keys. */
export function wideStory(test: BrowserTest): void {
  test('A wide screen shows the chosen event beside the list by mouse, keys, Back and reload', async ({
    browser,
    server,
    sandbox,
    team,
  }, opened) => {
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
    const isSplit = async (nth: number, count = 50) => {
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
    await isSplit(50);
    await app.page.waitForFunction(`document.activeElement?.textContent === 'Event 50'`);
    await assertForEverybody(app.page, 'an event beside the inbox');
    assert.equal(await tooWideAt(app.page, 1_100), []);
    await app.page.keyboard.press('j');
    await isSplit(49);
    await app.page.keyboard.press('j');
    await isSplit(48);
    await app.page.keyboard.press('ArrowUp');
    await isSplit(49);
    await app.page.goBack();
    await isSplit(48);
    await app.page.reload();
    await isSplit(48);

    await app.page.keyboard.press('u');
    await app.sees('Choose an event');
    await app.isAt('/');
    await app.page.waitForFunction(`document.title.includes('Inbox ·')`);
    await app.page.waitForFunction(
      `document.querySelector('.event-unread a:focus')?.lastChild.textContent === 'Event 48'`,
    );
    await app.page.keyboard.press('k');
    await isSplit(49);
    await app.page.keyboard.press('e');
    await app.sees('Choose an event');

    await app.show('/?level=error');
    await rows(26);
    await app.click('Event 49', 'link');
    await isSplit(49, 26);
    await app.click('Settings', 'link');
    await app.sees('Where you are signed in');
    await app.page.goBack();
    await isSplit(49, 26);
    await app.page.setViewport({ width: 1_000, height: 800 });
    await app.page.waitForFunction(`document.querySelector('.split') === null`);
    await app.sees('Text 49.');
    await app.click('Back to the inbox', 'link');
    await rows(26);
    await app.isAt('/?level=error');
    assert.equal(app.faults, []);
  });

  test('Keys put an alert off and resolve it, beside the list and on a phone, and keep an event unread', async ({
    browser,
    server,
    sandbox,
    team,
  }, opened) => {
    granted(
      await team.store.updateChannel({ workspace: team.slug, slug: 'alerts', insist: { repeat: 60, until: 600 } }),
    );
    await team.addDevice(sandbox, { platform: 'android' });
    const urgent = { title: 'Disk full', delivery_urgency: 'time_sensitive' };
    await team.post(urgent);
    const app = await openApp(browser, opened);
    await app.page.setViewport(WIDE);
    await signIn(app, server.url, team);
    await app.sees('Needs someone');
    await app.page.keyboard.press('j');
    await app.page.waitForFunction(`document.title.includes('Disk full ·')`);
    await app.page.keyboard.press('s');
    await app.click('30 min');
    await app.sees('Acknowledged');
    await app.page.waitForFunction(`document.querySelector('.split-event').innerText.includes('opens again')`);
    await app.page.keyboard.press('e');
    await app.page.waitForFunction(`document.querySelector('.split-event').innerText.includes('Resolved by')`);
    await app.seesNo('Acknowledged');

    const { public_id: id } = (await team.post(urgent)).body.event;
    await app.page.setViewport({ width: 390, height: 844 });
    await app.show(`/events/${id}`);
    await app.sees('Acknowledge');
    await app.page.waitForFunction(`document.title.includes('Disk full ·')`);
    await app.page.keyboard.press('s');
    await app.sees('30 min');
    await app.page.keyboard.press('s');
    await app.seesNo('30 min');
    await app.page.keyboard.press('s');
    await app.click('2 h');
    await app.sees('opens again');
    await app.page.keyboard.press('e');
    await app.sees('Resolved by');
    await app.page.keyboard.press('u');
    await app.isAt('/');
    await app.page.waitForSelector('.event-unread');
    assert.equal(app.faults, []);
  });
}
