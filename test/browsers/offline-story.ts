import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { openSignedIn, RECONNECTS_WITHIN_MS } from './app-page.ts';
import { goOffline } from './offline.ts';
import type { BrowserTest } from './story.ts';

const POSTED = 120;
/** The number of them that the app keeps without a network. */
const KEPT = 100;

/** An app in a browser without a network. */
export function offlineStory(test: BrowserTest): void {
  test.smoke(
    'Offline the app says so and keeps what it shows, starts from what is kept, and catches up by itself',
    async (parts, opened) => {
      const { sandbox, team } = parts;
      await team.addDevice(sandbox, { platform: 'android' });
      // More than are kept.
      for (let nth = 1; nth < POSTED; nth += 1) await team.post({ title: `Event ${nth}` });
      const insist = { repeat: 600, until: 3_600 };
      granted(await team.store.updateChannel({ workspace: team.slug, slug: 'alerts', insist }));
      const urgent = { level: 'error', delivery_urgency: 'time_sensitive' };
      await team.post({ title: 'Before', description: 'db-1 has 2 GB left', ...urgent });
      const app = await openSignedIn(parts, opened);
      await app.sees('Before');
      await app.page.waitForFunction('navigator.serviceWorker.controller !== null');
      const areKept = (first: string, last: string) =>
        app.page.waitForFunction(`caches.match('/kept/inbox').then((kept) => kept?.json()).then((kept) => {
        const events = kept?.data.events ?? [];
        return events.length === ${KEPT} && events[0].title === '${first}' && events.at(-1).title === '${last}';
      })`);
      await areKept('Before', `Event ${POSTED - KEPT + 1}`);

      const goOnline = await goOffline(app.page);
      await app.sees('This page shows data from');
      await app.sees('Before');
      await app.page.reload();
      await app.sees('You are offline.');
      await app.sees('Needs someone');
      await app.sees('This page shows data from');
      await app.sees('Before');
      assert.is(await app.page.$$eval('.event-title', (all) => all.length), KEPT, 'the alert once');
      await app.click('Before', 'link');
      await app.sees('db-1 has 2 GB left');
      await app.click('Back to the inbox', 'link');
      await app.seesNo('With a password');
      await app.click('Settings', 'link');
      await app.sees('Where you are signed in');
      await app.click(`Inbox ${POSTED} unread`, 'link');
      await team.post({ title: 'Meanwhile' });
      await goOnline();
      await app.sees('Meanwhile', RECONNECTS_WITHIN_MS);
      await app.seesNo('You are offline');
      await app.page.waitForSelector('.nav-group');
      await team.post({ title: 'Afterwards' });
      await app.sees('Afterwards');
      await areKept('Afterwards', `Event ${POSTED - KEPT + 3}`);
      await app.click('Settings', 'link');
      await app.click('Sign out');
      await app.sees('With a password');
      await app.page.waitForFunction(`caches.has('events').then((has) => !has)`);
      assert.equal(app.faults, []);
    },
  );
}
