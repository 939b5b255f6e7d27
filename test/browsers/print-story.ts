import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { type AppPage, openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

const WIDE = { width: 1_200, height: 800 };
const URGENT = { title: 'Disk full', level: 'error', delivery_urgency: 'time_sensitive', collapse_key: 'disk' };

/** The inbox and an event on paper, in forced colours, and an alert that is snoozed for a time of one's own. */
export function printStory(test: BrowserTest): void {
  test('Paper has only the text of an event or the whole inbox, forced colours keep edges, and a snooze has any length', async ({
    browser,
    server,
    sandbox,
    team,
  }, opened) => {
    granted(
      await team.store.updateChannel({
        workspace: team.slug,
        slug: 'alerts',
        insist: { repeat: 120, until: 3_600 },
      }),
    );
    await team.addDevice(sandbox, { platform: 'android' });
    const { public_id: id } = (await team.post(URGENT)).body.event;
    for (let nth = 1; nth <= 30; nth += 1) await team.post({ title: `Event ${nth}`, description: 'Text' });
    const app = await openApp(browser, opened);
    await app.page.setViewport(WIDE);
    await signIn(app, server.url, team);
    await app.sees('Choose an event');
    await app.sees('Event 30');
    await app.page.emulateMediaType('print');
    assert.equal(await shownOf(app, '.nav', '.split-event', '.page-bar button'), []);
    // All of it, as nothing is scrolled there.
    const list = `document.querySelector('.split-list')`;
    assert.ok(await app.page.evaluate(`${list}.clientHeight > innerHeight && ${list}.innerText.includes('Event 1')`));
    const pages =
      Buffer.from(await app.page.pdf())
        .toString('latin1')
        .match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(pages >= 2, `${pages} pages`);
    await app.page.emulateMediaType('screen');

    await app.show(`/events/${id}`);
    await app.page.waitForSelector('.split-event .alert-said');
    await app.page.waitForSelector('.split-event .facts');
    await app.page.emulateMediaType('print');
    assert.equal(await shownOf(app, '.nav', '.split-list', '.alert-actions', 'main button'), []);
    assert.equal((await shownOf(app, '.split-event h1', '.alert-said', '.facts')).length, 3);
    await app.page.emulateMediaType('screen');

    const session = await app.page.createCDPSession();
    await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
    const widthOf = (selector: string, side: string) =>
      app.page.evaluate(`getComputedStyle(document.querySelector('${selector}')).border${side}Width`);
    assert.equal([await widthOf('.alert-open', 'Left'), await widthOf('.nav-count', 'Top')], ['4px', '1px']);
    await session.send('Emulation.setEmulatedMedia', { features: [] });

    await app.click('Snooze');
    await app.click('Other …');
    await app.fill('count', '2');
    await app.submit();
    await app.sees('The for field');
    await app.page.select('dialog [name="unit"]', 'hours');
    await app.submit();
    await app.sees('opens again');
    const [alert] = granted(await team.store.listAlerts({ workspace: team.slug, limit: 1 })).alerts;
    const snoozedMs = Date.parse(alert?.snoozed_until ?? '') - Date.parse(alert?.acknowledged_at ?? '');
    assert.equal([Math.round(snoozedMs / 1_000), app.faults], [7_200, []]);
  });
}

/** The selectors of what is shown. */
async function shownOf({ page }: AppPage, ...selectors: readonly string[]): Promise<readonly string[]> {
  return (await page.evaluate(`${JSON.stringify(selectors)}.filter((selector) =>
    [...document.querySelectorAll(selector)].some((found) => found.checkVisibility()))`)) as string[];
}
