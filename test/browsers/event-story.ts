import * as assert from 'uvu/assert';
import { startTestServer } from '../support/server.ts';
import { openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** The page of an event, for who gets it and for who runs the workspace. */
export function eventStory(test: BrowserTest): void {
  test('An event that came late says when it happened and when it was received, one in time does not', async ({
    browser,
  }, opened) => {
    const { server, team } = await startTestServer(opened);
    const late = await team.post({ title: 'Disk full', occurred_at: '2026-11-21T08:15:00Z' });
    const inTime = await team.post({ title: 'Deploy finished', occurred_at: new Date().toISOString() });
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    for (const at of ['/events', '/w/acme/events']) {
      await app.show(`${at}/${late.body.event.public_id}`);
      await app.sees('Happened');
      const text = await app.page.$eval('main', ({ textContent }) => String(textContent));
      assert.match(text, /Happened .*, received /);
      const times = await app.page.$$eval('main time', (all) => all.map((one) => [one.dateTime, one.title]));
      assert.is(times[0]?.[0], '2026-11-21T08:15:00.000+00:00');
      assert.match(String(times[0]?.[1]), /November 21, 2026 at /);
      await app.show(`${at}/${inTime.body.event.public_id}`);
      await app.sees('Deploy finished');
      await app.seesNo('Happened');
    }
    assert.equal(app.faults, []);
  });

  test('Addresses in a text are links that reveal nothing of where one came from, and markup stays text', async ({
    browser,
  }, opened) => {
    const { server, team } = await startTestServer(opened);
    const description =
      'See https://example.com/runbook, <img src=x onerror=alert(1)> javascript:alert(1) or ops@example.com.';
    const { public_id } = (await team.post({ title: 'Disk full', description })).body.event;
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/events/${public_id}`);
    // This browser has had no push of it.
    await app.sees('only the devices that got its push have it');
    for (const at of ['/events', '/w/acme/events']) {
      await app.page.goto(`${server.url}${at}/${public_id}`);
      await app.sees('<img src=x onerror=alert(1)> javascript:alert(1)');
      const links = await app.page.$$eval('.prose a', (all) => all.map(({ href, rel, target }) => [href, rel, target]));
      const rel = 'noopener noreferrer nofollow';
      assert.equal(links, [
        ['https://example.com/runbook', rel, '_blank'],
        ['mailto:ops@example.com', rel, '_blank'],
      ]);
    }
    assert.equal(app.faults, []);
  });
}
