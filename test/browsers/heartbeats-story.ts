import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { assertForEverybody } from './accessibility.ts';
import { type AppPage, openSignedIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** The page of heartbeats: members see it, owners and admins add, pause and delete. */
export function heartbeatsStory(test: BrowserTest): void {
  test.smoke(
    'An owner adds a heartbeat in the app, edits, pauses and deletes it, and a member sees live how its job reports, and changes nothing',
    async (parts, opened) => {
      const { server, team } = parts;
      granted(await team.store.updateChannel({ workspace: team.slug, slug: 'alerts', name: 'Payments' }));
      await team.join(team.bob);
      const owner = await openSignedIn(parts, opened);
      await owner.page.goto(`${server.url}/w/${team.slug}/heartbeats`);
      await owner.click('Add heartbeat');
      await owner.fill('slug', 'backup');
      await owner.fill('name', 'Nightly backup');
      await owner.page.select('dialog [name="every"]', '');
      await owner.fill('cron', 'not a schedule');
      await owner.submit();
      await owner.sees('The cron field');
      await owner.fill('cron', '0 3 * * *');
      await assertForEverybody(owner.page, 'adding a heartbeat');
      await owner.submit();
      await owner.sees('Nightly backup is added');
      const [made] = granted(await team.store.listHeartbeats({ workspace: team.slug }));
      assert.equal([made?.slug, made?.cron, made?.grace], ['backup', '0 3 * * *', 3600]);

      const member = await openSignedIn(parts, opened, team.bob);
      await member.page.goto(`${server.url}/channels`);
      await member.click(`Heartbeats of ${team.slug}`, 'link');
      await hasState(member, 'Not pinged yet');
      await member.page.locator('.fold > summary').click();
      await member.sees('Payments');
      await member.seesNo('/ping/');
      assert.is(await member.page.$('.fold-more .actions'), null);
      await member.seesNo('Add heartbeat');
      const failed = await fetch(`${server.url}/ping/${made?.uuid}/fail`, { method: 'POST', body: 'no space left' });
      assert.is(failed.status, 200);
      await hasState(member, 'Down');
      await member.sees('no space left');
      await assertForEverybody(member.page, "a member's heartbeats");

      await owner.page.bringToFront();
      await owner.page.locator('.fold > summary').click();
      await owner.sees(`/ping/${made?.uuid}`);
      await owner.click('Edit Nightly backup');
      await owner.page.waitForSelector('dialog [name="every"]');
      await owner.page.select('dialog [name="every"]', '3600');
      await owner.fill('name', 'Hourly backup');
      await owner.submit();
      await owner.sees('Hourly backup is saved.');
      await owner.sees(`/ping/${made?.uuid}`);
      const [edited] = granted(await team.store.listHeartbeats({ workspace: team.slug }));
      assert.equal([edited?.every, edited?.cron, edited?.grace, edited?.uuid], [3_600, null, 3_600, made?.uuid]);
      await owner.click('Pause Hourly backup');
      await hasState(owner, 'Paused');
      await owner.click('Resume Hourly backup');
      await hasState(owner, 'Not pinged yet');
      await assertForEverybody(owner.page, 'heartbeats');
      await owner.click('Delete Hourly backup');
      await owner.submit();
      await member.page.bringToFront();
      await member.sees('No heartbeats yet');
      assert.equal([...owner.faults, ...member.faults], []);
    },
  );
}

/** Waits until the row says so; the filter above it names all states. */
async function hasState({ page }: AppPage, state: string): Promise<void> {
  await page.waitForFunction(`document.querySelector('.fold .line-fact:last-of-type')?.textContent === '${state}'`);
}
