import Database from 'better-sqlite3';
import * as assert from 'uvu/assert';
import { databasePath } from '../../src/store/data-folder.ts';
import { granted } from '../support/refusals.ts';
import type { Env } from '../support/server.ts';
import { until } from '../support/until.ts';
import { assertForEverybody, tooWideAt } from './accessibility.ts';
import { openAppWithPushes, originForPushes, signIn } from './app-page.ts';
import { untilShown } from './browser.ts';
import { dropPushes } from './emulated-pushes.ts';
import type { BrowserTest } from './story.ts';
import { shownBy } from './worker.ts';

const DISK = { level: 'error', delivery_urgency: 'time_sensitive' } as const;

/** A browser whose push service accepts pushes and drops them, as Apple's does for subscriptions that iOS has ended. */
export function notShowingStory(test: BrowserTest): void {
  test('A browser whose pushes are accepted and dropped is not showing after the third. Its owner sees the fix, and a test ends it', async (parts, opened) => {
    const { team, env } = parts;
    const url = await originForPushes(parts, opened);
    granted(
      await team.store.updateChannel({ workspace: team.slug, slug: 'alerts', insist: { repeat: 600, until: 3_600 } }),
    );
    const open = async () => {
      const app = await openAppWithPushes(parts, url, opened);
      await signIn(app, url, team);
      await app.click('Devices', 'link');
      await app.becomeDevice();
      return app;
    };
    const reported = async (publicId: string) => {
      const { deliveries } = granted(await team.store.showEvent({ publicId, limit: 1 })).event;
      return `${deliveries.accepted} accepted, ${deliveries.shown} shown`;
    };
    const post = async (title: string) =>
      (await team.post({ ...DISK, title, collapse_key: title })).body.event.public_id;

    const laptop = await open();
    await laptop.subscribe('alerts');
    const first = await post('Disk 1 full');
    await laptop.notified('Disk 1 full');
    await until('the first is shown', async () => (await reported(first)) === '1 accepted, 1 shown');

    const restore = dropPushes(laptop.page);
    for (const title of ['Disk 2 full', 'Disk 3 full']) {
      const dropped = await post(title);
      await until('the push is accepted', async () => (await reported(dropped)) === '1 accepted, 0 shown');
    }
    const phone = await open();
    passTenMinutes(env);
    await phone.click('Send a test');
    await until('the server has looked', async () => awaitedIn(env) === 0);
    await laptop.show('/devices');
    await laptop.sees('Last shown');
    await laptop.seesNo('Not showing since');

    const third = await post('Disk 4 full');
    await until('the third is accepted', async () => (await reported(third)) === '1 accepted, 0 shown');
    assert.is(awaitedIn(env), 1);
    passTenMinutes(env);
    await phone.click('Send a test');
    await untilShown('the other device has a notice', async () => {
      const notices = (await shownBy(phone.page)).filter(({ title }) => title.endsWith('no longer shows alerts'));
      return (notices.length === 1 && notices[0]?.silent === true) || notices;
    });
    await laptop.page.reload();
    await laptop.sees('Not showing since');
    await laptop.sees('Open the app on it, and send a test.');
    await assertForEverybody(laptop.page, 'the devices of a person, one of which is not showing');
    for (const width of [320, 1_280]) assert.equal(await tooWideAt(laptop.page, width), []);

    restore();
    await laptop.click('Send a test');
    await laptop.notified('Test push from pushctl');
    await until('it shows again', async () => {
      await laptop.page.reload();
      await laptop.sees('Last shown');
      return (await laptop.page.evaluate("document.body.innerText.includes('Not showing since')")) === false;
    });
    assert.equal([...laptop.faults, ...phone.faults], []);
  });
}

/**
 * Makes all awaited reports overdue. The newest device then looks as if it had never reported, since the server looks
 * at a first report.
 */
function passTenMinutes(env: Env): void {
  changeIn(env, 'UPDATE receipt SET awaited_until = 0 WHERE awaited_until IS NOT NULL');
  changeIn(env, 'UPDATE reporter SET shown_at = NULL WHERE device_id = (SELECT max(device_id) FROM reporter)');
}

/** Changes the server's database beside it. */
export function changeIn(env: Env, statement: string): void {
  const database = new Database(databasePath(String(env.PUSHCTL_DATA_DIR)));
  database.exec(statement);
  database.close();
}

function awaitedIn(env: Env): unknown {
  const database = new Database(databasePath(String(env.PUSHCTL_DATA_DIR)));
  const count = database.prepare('SELECT count(*) FROM receipt WHERE awaited_until IS NOT NULL').pluck().get();
  database.close();
  return count;
}
