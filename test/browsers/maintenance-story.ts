import type { Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { assertForEverybody, tooWideAt } from './accessibility.ts';
import { oneBrowser } from './acknowledge-story.ts';
import { untilShown } from './browser.ts';
import type { BrowserTest } from './story.ts';
import { clickNotification, shownBy } from './worker.ts';

const ALERTS = 20;

/** Maintenance, from its start on the channel's page to the bundle at its end. */
export function maintenanceStory(test: BrowserTest): void {
  test('During maintenance 20 alerts make no sound. Its end rings once, and the button of that push acknowledges all', async (parts, opened) => {
    const { team, ada, url } = await oneBrowser(parts, opened);
    const { page } = ada;
    await page.goto(`${url}/w/${team.slug}/channels/alerts`);
    await ada.sees('No maintenance is on or planned.');
    await ada.clickText('Start maintenance');
    await ada.sees('one loud push says what is still open');
    await assertForEverybody(page, 'the dialog of maintenance');
    for (const width of [320, 1_000]) assert.equal(await tooWideAt(page, width), []);
    await ada.fill('note', 'Database upgrade');
    await ada.submit();
    await ada.sees('Maintenance of alerts has started.');
    await ada.sees('Database upgrade');
    await assertForEverybody(page, 'the page of a channel in maintenance');
    for (const width of [320, 1_000]) assert.equal(await tooWideAt(page, width), []);

    const keys = Array.from({ length: ALERTS }, (_, nth) => `disk-${nth}`);
    for (const collapse_key of keys) {
      await team.post({ title: 'Disk full', level: 'error', delivery_urgency: 'time_sensitive', collapse_key });
    }
    await untilShown('all alerts are shown', async () => {
      const shown = (await shownBy(page)).filter(({ title }) => title === 'Disk full');
      return shown.length === ALERTS || shown;
    });
    assert.ok(
      (await shownBy(page)).every(({ silent }) => silent),
      'none rings',
    );
    await page.goto(url);
    await ada.sees('alerts: maintenance until');

    await page.goto(`${url}/w/${team.slug}/channels/alerts`);
    await ada.clickText('End now');
    await ada.sees('Maintenance of alerts has ended.');
    const ringing = async () => (await shownBy(page)).filter(({ silent }) => !silent);
    await untilShown('the end rings', async () => (await ringing()).length > 0);
    assert.equal(
      (await ringing()).map(({ title }) => title),
      [`Maintenance over: ${ALERTS} alerts open`],
    );
    assert.is(await clickNotification(page, 'acknowledge'), null);
    const live = async (state: 'open' | 'acknowledged') =>
      granted(await team.store.listAlerts({ workspace: team.slug, state, limit: 100 })).alerts.length;
    await untilShown('all are acknowledged', async () => (await live('acknowledged')) === ALERTS);
    assert.is(await live('open'), 0);
    assert.equal(ada.faults, []);
  });

  test('The page of a channel plans maintenance once or by a schedule, changes it, and ends one occurrence', async (parts, opened) => {
    const { team, ada, url } = await oneBrowser(parts, opened);
    const { page } = ada;
    const windows = async () => granted(await team.store.listMaintenance({ workspace: team.slug }));
    await page.goto(`${url}/w/${team.slug}/channels/alerts`);
    await ada.sees('No maintenance is on or planned.');
    await ada.clickText('Plan maintenance');
    await page.select('dialog select', 'cron');
    await ada.sees('Minute, hour, day, month and weekday of each start.');
    await assertForEverybody(page, 'the plan of a recurring maintenance');
    for (const width of [320, 1_280]) assert.equal(await tooWideAt(page, width), []);
    await ada.fill('cron', '0 3 30 2 *');
    await page.select('[name=timezone]', 'Europe/Berlin');
    await page.select('[name=for]', '1800');
    await ada.submit();
    await ada.sees('a day that never comes');
    await ada.fill('cron', '0 3 * * 0');
    await ada.submit();
    await ada.sees('Maintenance of alerts is planned.');
    await ada.sees('recurs: 0 3 * * 0 (Europe/Berlin)');
    assert.equal(
      (await windows()).map(({ cron, timezone, for: length, state }) => [cron, timezone, length, state]),
      [['0 3 * * 0', 'Europe/Berlin', 1_800, 'planned']],
    );

    await ada.clickText('Plan maintenance');
    await ada.sees('At most 30 days from now.');
    for (const width of [320, 1_280]) assert.equal(await tooWideAt(page, width), []);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await setTime(page, 'from', `${tomorrow}T09:30`);
    await ada.fill('note', 'Upgrade');
    await ada.submit();
    await ada.sees('Planned from');
    const once = (await windows()).find(({ cron }) => cron === null);
    assert.is(Date.parse(once?.until ?? '') - Date.parse(once?.from ?? ''), 7_200_000);

    await page.click('[aria-label^="Change: Planned"]');
    await ada.sees('Change maintenance of alerts');
    await assertForEverybody(page, 'the change of a maintenance');
    for (const width of [320, 1_280]) assert.equal(await tooWideAt(page, width), []);
    await setTime(page, 'until', `${tomorrow}T09:30`);
    await ada.submit();
    await ada.sees('must put the end at least a minute after the start');
    await setTime(page, 'until', `${tomorrow}T10:00`);
    await ada.fill('only', 'db-*');
    await ada.submit();
    await ada.sees('Maintenance of alerts was changed.');
    const changed = (await windows()).find(({ cron }) => cron === null);
    assert.equal([changed?.from, changed?.only, changed?.note], [once?.from, 'db-*', 'Upgrade']);
    assert.is(Date.parse(changed?.until ?? '') - Date.parse(changed?.from ?? ''), 1_800_000);
    await page.click('[aria-label^="Cancel: Planned"]');
    await ada.sees('Maintenance of alerts was cancelled.');

    // Its next occurrence begins at once, since every minute starts one.
    await page.click('[aria-label^="Change: Next"]');
    await ada.fill('cron', '* * * * *');
    await ada.submit();
    await ada.sees('Maintenance until', 90_000);
    await page.click('[aria-label^="End now: Maintenance"]');
    await ada.sees('Maintenance of alerts has ended until its next start.');
    assert.equal(
      (await windows()).map(({ cron }) => cron),
      ['* * * * *'],
    );
    assert.equal(ada.faults, []);
  });
}

/** Fills a `datetime-local` field, whose keys depend on the browser. */
async function setTime(page: Page, name: string, value: string): Promise<void> {
  await page.$eval(
    `[name=${name}]`,
    (field, time) => {
      (field as HTMLInputElement).value = time;
    },
    value,
  );
}
