import * as assert from 'uvu/assert';
import { additionsTo, populate } from '../support/workspace.ts';
import { type AppPage, openSignedIn } from './app-page.ts';
import { postWith } from './keys.ts';
import { stopClock } from './passing-time.ts';
import type { BrowserTest } from './story.ts';

const MINUTE_MS = 60_000;

/** Tells of reading in the inbox, and the undo. */
export function readStory(test: BrowserTest): void {
  test.smoke(
    'An event that is opened is read alone, and all that a filter shows are read without the others, with a way back',
    async (parts, opened) => {
      const { server, sandbox, team } = parts;
      await team.addDevice(sandbox, { platform: 'android' });
      await team.post({ title: 'Disk full', level: 'error' });
      await team.post({ title: 'Deploy finished', level: 'success' });
      await team.post({ title: 'Backup is late', level: 'warning' });
      const app = await openSignedIn(parts, opened);
      const areUnread = (...titles: readonly string[]) => haveUnread(app, ...titles);
      await areUnread('Backup is late', 'Deploy finished', 'Disk full');
      await app.click('Filter');
      await haveInChannel(app, 'alerts (3 unread)');
      await app.click('Unread: Backup is late', 'link');
      await app.click('Back to the inbox', 'link');
      await areUnread('Deploy finished', 'Disk full');
      await app.click('Backup is late', 'link');
      await app.click('Mark as unread');
      await areUnread('Backup is late', 'Deploy finished', 'Disk full');

      await app.show('/?level=error');
      await areUnread('Disk full');
      await app.click('Mark all as read');
      await app.sees('1 event was marked as read.');
      await areUnread();
      await haveInChannel(app, 'alerts (2 unread)');
      await app.click('Undo');
      await areUnread('Disk full');
      await app.seesNo('marked as read');
      await app.click('Mark all as read');
      await areUnread();
      await app.show('/?unread=true');
      await areUnread('Backup is late', 'Deploy finished');
      await app.seesNo('Disk full');
      // How many there are is shown wherever the app starts.
      for (const start of ['/settings', `/?workspace=${team.slug}`]) {
        await app.page.goto(server.url + start);
        await app.page.waitForFunction(`document.querySelector('.nav-count-whole')?.textContent === '2'`);
      }
      assert.equal(app.faults, []);
    },
  );

  test('All events are marked as read, also beyond the list; they can be undone for a minute, and a refusal is shown', async (parts, opened) => {
    const { server, sandbox, team } = parts;
    await populate(team.store, { workspace: 'umbrella', owner: team.owner });
    const umbrella = additionsTo(team.store, { workspace: 'umbrella', owner: team.owner });
    await umbrella.addDevice({ platform: 'android', token: sandbox.token({ platform: 'android' }) });
    assert.is(await postWith(server.url, (await umbrella.issueKey()).text), 202);
    await team.addDevice(sandbox, { platform: 'android' });
    for (let nth = 1; nth <= 57; nth += 1) await team.post({ title: `Event ${nth}` });
    const app = await openSignedIn(parts, opened);
    await app.sees('Event 57');
    await app.page.evaluate(REFUSE_MARKS);
    await app.click('Mark all as read');
    await app.sees('Too many requests');
    await app.page.reload();
    await app.sees('Event 57');
    const pass = await stopClock(app.page);
    await app.click('Mark all as read');
    await app.sees('58 events were marked as read.');
    await pass(MINUTE_MS - 1);
    await app.click('Undo');
    await app.seesNo('marked as read');
    await app.page.waitForFunction(`document.querySelectorAll('.event-unread').length === 50`);

    await app.click('Mark all as read');
    await app.sees('58 events were marked as read.');
    await haveUnread(app);
    await team.post({ title: 'Meanwhile' });
    await haveUnread(app, 'Meanwhile');
    await pass(MINUTE_MS / 2);
    await app.click('Mark all as read');
    await app.sees('1 event was marked as read.');
    await pass(MINUTE_MS - 1);
    await app.sees('1 event was marked as read.');
    await pass(1);
    await app.seesNo('marked as read');
    await app.show('/?unread=true');
    await app.sees('Nothing found');
    assert.equal(app.faults, []);
  });
}

const REFUSE_MARKS = `(() => {
  const ask = window.fetch;
  const problem = { code: 'too_many_requests', message: 'Too many requests' };
  window.fetch = (address, init) =>
    String(address).includes('/inbox/read') ? Promise.resolve(Response.json(problem, { status: 429 })) : ask(address, init);
})()`;

/** Waits until the titles that are shown as unread, which a screen reader says before each, are these. */
async function haveUnread({ page }: AppPage, ...titles: readonly string[]): Promise<void> {
  await page.waitForFunction(`(${UNREAD}) === ${JSON.stringify(titles.join())}`);
}

const UNREAD = `[...document.querySelectorAll('.event-unread .event-title')].map((element) => element.lastChild.textContent).join()`;

/** Waits until the filter says so of the only channel. */
async function haveInChannel({ page }: AppPage, text: string): Promise<void> {
  await page.waitForFunction(`document.querySelectorAll('[name="channel"] option')[1]?.textContent === '${text}'`);
}
