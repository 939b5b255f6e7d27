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
}
