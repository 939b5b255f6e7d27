import * as assert from 'uvu/assert';
import { until } from '../support/until.ts';
import { openSignedIn } from './app-page.ts';
import { holdAnswers } from './held-answers.ts';
import type { BrowserTest } from './story.ts';

/** The inbox of the web app while it is open, and beside another one. */
export function inboxStory(test: BrowserTest): void {
  test('A member who comes back from an event finds the same rows in the same place, whichever way they come', async (parts, opened) => {
    const { sandbox, team } = parts;
    await team.addDevice(sandbox, { platform: 'android' });
    // More than a page.
    for (let nth = 1; nth <= 57; nth += 1) await team.post({ title: `Event ${nth}` });
    const app = await openSignedIn(parts, opened);
    const rows = (count: number) =>
      app.page.waitForFunction(`document.querySelectorAll('.event-title').length === ${count}`);
    await rows(50);
    await app.click('Show earlier events');
    await rows(57);
    const opens = async () => {
      await app.page.evaluate(`(${ROW_OF_20}).scrollIntoView({ block: 'center' })`);
      await app.page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
      const top = await app.page.evaluate(`(${ROW_OF_20}).getBoundingClientRect().top`);
      await app.page.evaluate(`(${ROW_OF_20}).click()`);
      await app.isAt('/events/');
      await app.sees('Mark as unread');
      return Number(top);
    };
    const isThere = async (top: number, count = 57) => {
      await rows(count);
      await until('the row is where it was', async () => {
        const now = Number(await app.page.evaluate(`(${ROW_OF_20}).getBoundingClientRect().top`));
        return Math.abs(now - top) < 3;
      });
    };
    let top = await opens();
    await app.page.goBack();
    await isThere(top);
    top = await opens();
    await app.click('Back to the inbox', 'link');
    await isThere(top);
    top = await opens();
    // The worker sends this message after a click on a notification.
    const { public_id: id } = (await team.post({ title: 'Meanwhile' })).body.event;
    await app.page.evaluate(`navigator.serviceWorker.dispatchEvent(new MessageEvent('message',
      { data: { show: location.origin + '/events/${id}' } }))`);
    await app.isAt(`/events/${id}`);
    await app.sees('Meanwhile');
    await app.click('Back to the inbox', 'link');
    await rows(58);
    await isThere(top, 58);
    assert.equal(app.faults, []);
  });

  test('Earlier events that come while the list is loaded again stay in it', async (parts, opened) => {
    const { sandbox, team } = parts;
    await team.addDevice(sandbox, { platform: 'android' });
    // More than two pages.
    for (let nth = 1; nth <= 107; nth += 1) await team.post({ title: `Event ${nth}` });
    const app = await openSignedIn(parts, opened);
    const rows = (count: number) =>
      app.page.waitForFunction(`document.querySelectorAll('.event-title').length === ${count}`);
    await rows(50);
    await app.click('Show earlier events');
    await rows(100);
    const marks = await holdAnswers(app.page, '/v1/events?unread=');
    await team.post({ title: 'Meanwhile' });
    await marks.first();
    await app.click('Show earlier events');
    await rows(107);
    await marks.letGo();
    await app.sees('Meanwhile');
    await rows(108);
    assert.equal(app.faults, []);
  });

  test('Keys search the inbox, walk its rows and lead elsewhere; its address restores the search, and repeats share a row', async (parts, opened) => {
    const { sandbox, team } = parts;
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Disk full', description: 'db-1 has 2 GB left', level: 'error' });
    await team.post({ title: 'Deploy finished', level: 'success' });
    const app = await openSignedIn(parts, opened);
    await app.sees('Disk full');
    await app.page.keyboard.press('/');
    await app.page.waitForFunction(`document.activeElement?.name === 'q'`);
    await app.page.keyboard.type('2 gb');
    await app.page.keyboard.press('Enter');
    await app.seesNo('Deploy finished');
    await app.sees('Disk full');
    assert.is(await app.isAt('/?q='), '/?q=2+gb');
    await app.page.reload();
    await app.sees('Disk full');
    await app.seesNo('Deploy finished');
    await app.show('/?level=warning');
    await app.click('Show all events', 'link');
    await app.sees('Deploy finished');
    await app.page.keyboard.press('j');
    await app.page.keyboard.press('j');
    await app.page.keyboard.press('Enter');
    await app.sees('db-1 has 2 GB left');
    await app.isAt('/events/evt_');
    await app.sees('Mark as unread');
    await app.page.keyboard.press('e');
    await app.isAt('/');
    for (let nth = 1; nth <= 7; nth += 1) await team.post({ title: 'Backup failed', level: 'error' });
    await app.click('7 times, show each');
    await app.page.waitForFunction(`document.querySelectorAll('.event-title').length === 9`);
    await app.press('g', 'a');
    assert.is(await app.isAt('/alerts'), '/alerts');
    await app.page.keyboard.press('?');
    await app.sees('Snooze the alert');
    assert.equal(app.faults, []);
  });
}

/** Far down, whatever came since. */
const ROW_OF_20 = `[...document.querySelectorAll('.event-title')].find((element) => element.lastChild.textContent === 'Event 20')`;
