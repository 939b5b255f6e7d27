import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { assertForEverybody, tooWideAt } from './accessibility.ts';
import { openSignedIn } from './app-page.ts';
import { fromMenu } from './menus.ts';
import type { BrowserTest } from './story.ts';

/** Quiet hours of a channel, by those who manage the workspace. */
export function quietHoursStory(test: BrowserTest): void {
  test('Quiet hours of a channel are set by its menu, refused if no day is chosen, and end on its page', async (parts, opened) => {
    const { team } = parts;
    const quiet = async () => granted(await team.store.showChannel({ workspace: team.slug, slug: 'alerts' })).quiet;
    const app = await openSignedIn(parts, opened);
    const toggle = (day: string) => app.page.locator(`dialog [value="${day}"]`).click();
    await app.show(`/w/${team.slug}/channels`);
    await fromMenu(app, 'alerts', 'Quiet hours of alerts');
    await app.sees('standard events arrive without a sound');
    await assertForEverybody(app.page, 'the dialog of quiet hours');
    for (const width of [320, 1_000]) assert.equal(await tooWideAt(app.page, width), []);
    await app.fill('from', '21:30');
    await app.fill('to', '06:15');
    await app.page.select('dialog [name="timezone"]', 'Europe/Berlin');
    for (const day of ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']) await toggle(day);
    await app.submit();
    await app.sees('Choose at least one day');
    assert.is(await quiet(), null);
    for (const day of ['fri', 'sat']) await toggle(day);
    await app.submit();
    await app.sees('alerts has quiet hours now.');
    assert.equal(await quiet(), { from: '21:30', to: '06:15', timezone: 'Europe/Berlin', days: ['fri', 'sat'] });

    await app.show(`/w/${team.slug}/channels/alerts`);
    await app.sees('Fri, Sat (Europe/Berlin)');
    await app.click('Quiet hours of alerts');
    const days = `[...document.querySelectorAll('dialog [name="days"]:checked')].map(({ value }) => value).join()`;
    await app.page.waitForFunction(`${days} === 'fri,sat'`);
    await app.click('Turn off quiet hours');
    await app.seesNo('Fri, Sat (Europe/Berlin)');
    assert.is(await quiet(), null);
    assert.equal(app.faults, []);
  });

  test('Reminders of a channel are set by its menu, refused in words if they are too many, and turned off on its page', async (parts, opened) => {
    const { team } = parts;
    granted(await team.store.createChannel({ workspace: team.slug, slug: 'leads', name: 'Team leads' }));
    const insist = async () => granted(await team.store.showChannel({ workspace: team.slug, slug: 'alerts' })).insist;
    const app = await openSignedIn(parts, opened);
    await app.show(`/w/${team.slug}/channels`);
    await fromMenu(app, 'alerts', 'Reminders of alerts');
    await assertForEverybody(app.page, 'the dialog of reminders');
    for (const width of [320, 1_000]) assert.equal(await tooWideAt(app.page, width), []);
    await app.page.select('dialog [name="repeat"]', '60');
    await app.page.select('dialog [name="until"]', '86400');
    await app.submit();
    await app.sees('no more than 50 reminders');
    assert.is(await insist(), null);
    await app.page.select('dialog [name="repeat"]', '1800');
    await app.page.select('dialog [name="channel"]', 'leads');
    await app.submit();
    await app.sees('alerts sends reminders now.');
    assert.equal(await insist(), {
      repeat: 1_800,
      until: 86_400,
      ring_after: 0,
      escalate: { after: 600, channel: 'leads' },
    });

    await app.show(`/w/${team.slug}/channels/alerts`);
    await app.sees('After 10 minutes, Team leads is alerted as well.');
    await app.page.setViewport({ width: 1_000, height: 1_000 });
    await app.click('Reminders of alerts');
    const chosen = `['repeat', 'until', 'channel'].map((name) => document.querySelector('dialog [name=' + name + ']')?.value).join()`;
    await app.page.waitForFunction(`${chosen} === '1800,86400,leads'`);
    await app.click('Turn off reminders');
    await app.sees('alerts sends no reminders.');
    assert.is(await insist(), null);
    assert.equal(app.faults, []);
  });
}
