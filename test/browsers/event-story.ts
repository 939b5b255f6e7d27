import * as assert from 'uvu/assert';
import { openSignedIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** The page of an event, for who gets it and for who runs the workspace. */
export function eventStory(test: BrowserTest): void {
  test('A late event says when it happened; links in its text reveal nothing of the page, and markup stays text', async (parts, opened) => {
    const { server, team } = parts;
    const description =
      'See https://example.com/runbook, <img src=x onerror=alert(1)> javascript:alert(1) or ops@example.com.';
    const late = { title: 'Disk full', description, occurred_at: '2026-11-21T08:15:00Z' };
    const { public_id } = (await team.post(late)).body.event;
    const app = await openSignedIn(parts, opened);
    await app.page.goto(`${server.url}/events/${public_id}`);
    for (const at of ['/events', `/w/${team.slug}/events`]) {
      await app.page.goto(`${server.url}${at}/${public_id}`);
      await app.sees('<img src=x onerror=alert(1)> javascript:alert(1)');
      assert.match(await app.page.$eval('main', ({ textContent }) => String(textContent)), /Happened .*, received /);
      const [time] = await app.page.$$eval('main time', (all) =>
        all.map((element) => [element.dateTime, element.title]),
      );
      assert.is(time?.[0], '2026-11-21T08:15:00.000+00:00');
      assert.match(String(time?.[1]), /November 21, 2026 at /);
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
