import * as assert from 'uvu/assert';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { openApp, signIn } from './app-page.ts';
import { holdAnswers } from './held-answers.ts';
import type { BrowserTest } from './story.ts';

/** The inbox of the web app while it is open, and beside another one. */
export function inboxStory(test: BrowserTest): void {
  test('A posted event comes into the open inbox, and what is read in one browser is read in the other', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    const open = async () => {
      const app = await openApp(browser, opened);
      await signIn(app, server.url, team);
      await app.sees('No events yet');
      return app;
    };
    const [one, other] = [await open(), await open()];
    await team.post({ title: 'Disk full', description: 'db-1 has 2 GB left' });
    await team.post({ title: 'Deploy finished', level: 'success' });
    for (const app of [one, other]) {
      // A hidden page hears nothing until it is shown.
      await app.page.bringToFront();
      await app.sees('Deploy finished');
      await app.sees('Disk full');
    }
    const marks = (app: typeof one) => app.page.$$eval('.event-unread', (all) => all.length);
    assert.is(await marks(other), 2);
    await one.page.bringToFront();
    await one.click('Mark all as read');
    await other.page.bringToFront();
    await until('the other browser shows it', async () => (await marks(other)) === 0);
    await other.page.waitForFunction(`document.title.startsWith('Inbox')`);
    assert.equal([...one.faults, ...other.faults], []);
  });

  test('A member who comes back from an event finds the same rows in the same place, whichever way they come', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    // More than a page.
    for (let nth = 1; nth <= 57; nth += 1) await team.post({ title: `Event ${nth}` });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
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
    // As a notification that is clicked does.
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

  test('Earlier events that come while the list is loaded again stay in it', async ({ browser }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    // More than two pages.
    for (let nth = 1; nth <= 107; nth += 1) await team.post({ title: `Event ${nth}` });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
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

  test('What repeats is one row that shows each, and keys lead from an event back to it and to other places', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    for (let nth = 1; nth <= 7; nth += 1) await team.post({ title: 'Disk full', level: 'error' });
    await team.post({ title: 'Disk full', level: 'success' });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    const rows = (count: number) =>
      app.page.waitForFunction(`document.querySelectorAll('.event-title').length === ${count}`);
    await rows(2);
    await app.sees('× 7');
    await app.click('7 times, show each');
    await rows(8);
    await app.page.keyboard.press('j');
    await app.page.keyboard.press('Enter');
    await app.isAt('/events/');
    await app.sees('Mark as unread');
    await app.page.keyboard.press('e');
    await app.isAt('/');
    await rows(2);
    assert.is(await app.pressTo('/alerts', 'g', 'a'), '/alerts');
    await app.page.keyboard.press('?');
    await app.sees('Snooze the alert');
    assert.equal(app.faults, []);
  });

  test('The inbox is searched and filtered by keyboard, and its address leads there again', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Disk full', description: 'db-1 has 2 GB left', level: 'error' });
    await team.post({ title: 'Deploy finished', level: 'success' });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
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
    assert.equal(app.faults, []);
  });
}

/** Far down, whatever came since. */
const ROW_OF_20 = `[...document.querySelectorAll('.event-title')].find((one) => one.lastChild.textContent === 'Event 20')`;
