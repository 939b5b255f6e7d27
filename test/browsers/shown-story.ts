import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { until } from '../support/until.ts';
import { assertForEverybody, tooWideAt } from './accessibility.ts';
import { openAppWithPushes, originForPushes, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';
import { clickNotification } from './worker.ts';

const DISK = { title: 'Disk full', level: 'error', delivery_urgency: 'time_sensitive', collapse_key: 'disk' };

/** Follows the reports of a browser to the pages of the event and of the devices. */
export function shownStory(test: BrowserTest): void {
  test('A browser reports that it has shown an alert, and that it was opened', async (parts, opened) => {
    const { team } = parts;
    const url = await originForPushes(parts, opened);
    granted(
      await team.store.updateChannel({ workspace: team.slug, slug: 'alerts', insist: { repeat: 600, until: 3_600 } }),
    );
    const app = await openAppWithPushes(parts, url, opened);
    await signIn(app, url, team);
    await app.click('Devices', 'link');
    await app.becomeDevice();
    await app.subscribe('alerts');
    const { public_id: publicId } = (await team.post(DISK)).body.event;
    await app.notified('Disk full');
    const counts = async () => {
      const { deliveries } = granted(await team.store.showEvent({ publicId, limit: 1 })).event;
      return [deliveries.accepted, deliveries.shown, deliveries.opened];
    };
    await until('the push counts as shown', async () => (await counts()).join() === '1,1,0');
    await app.show(`/w/${team.slug}/events/${publicId}`);
    await app.sees('1 shown');
    await app.sees('0 opened');
    await clickNotification(app.page, '');
    await until('the push counts as opened', async () => (await counts()).join() === '1,1,1');
    await app.show(`/w/${team.slug}/events/${publicId}`);
    await app.sees('1 opened');

    await app.page.click('.deliveries summary');
    const isReported = (text: unknown) => /accepted.*shown.*opened/s.test(String(text));
    await until('the page of the event says it for the device', async () =>
      isReported(await app.page.evaluate("document.querySelector('.tries')?.innerText")),
    );
    await app.show(`/events/${publicId}`);
    await app.sees('On your devices');
    assert.ok(isReported(await app.page.evaluate("document.querySelector('main').innerText")));
    await assertForEverybody(app.page, 'the page of an alert with its devices');
    for (const width of [320, 1_280]) assert.equal(await tooWideAt(app.page, width), []);

    // An event without an alert asks for no report.
    const { public_id: plain } = (await team.post({ title: 'Deployed' })).body.event;
    await app.notified('Deployed');
    await app.show(`/w/${team.slug}/events/${plain}`);
    await app.sees('1 accepted');
    await app.seesNo('shown');

    await app.show('/devices');
    await app.sees('Last shown');
    await app.sees('Owners and admins see when a device showed and opened an alert.');
    assert.equal(app.faults, []);
  });
}
