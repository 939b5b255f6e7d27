import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { codeFor } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { openAppWithPushes, originForPushes, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** The push service of the browser does not answer, until that is over. */
const HANG_ONCE = `(() => {
  const pushes = PushManager.prototype;
  const { subscribe } = pushes;
  pushes.subscribe = () => new Promise((_, reject) => {
    window.endSubscribing = () => {
      pushes.subscribe = subscribe;
      reject(new Error('no push service'));
    };
  });
})()`;
/** A person is told so after this time (in src/web/components/this-browser.tsx). */
const LONG_MS = 5_000;
/** Returns the separators before the facts of a row. */
const separators = (facts: readonly Element[]) => facts.map((fact) => getComputedStyle(fact, '::before').content);

/** A browser as a device of the web app: from the click that allows pushes to the sign-out that ends them. */
export function deviceStory(test: BrowserTest): void {
  test.smoke(
    'A click makes the browser a device that shows pushes, repairs itself and ends with the sign-out',
    async (parts, opened) => {
      const { team } = parts;
      const url = await originForPushes(parts, opened);
      const devices = async () => granted(await team.store.listDevices({ workspace: team.slug, limit: 10 })).devices;
      const app = await openAppWithPushes(parts, url, opened);
      await signIn(app, url, team);
      await app.click('Devices', 'link');
      await app.page.evaluate(HANG_ONCE);
      await app.click('Show notifications here');
      await app.sees('may take half a minute', LONG_MS);
      await app.page.evaluate('endSubscribing()');
      await app.sees('no push service');
      await app.seesNo('may take half a minute');
      await app.becomeDevice();
      await app.sees('Choose at least one channel');
      // The facts about the browser and the system run together without separators.
      assert.equal(await app.page.$$eval('.own-device > .event-meta > *', separators), ['none', '"·"', '"·"', '"·"']);
      await app.subscribe('alerts');
      assert.equal(
        (await devices()).map(({ channels }) => channels),
        [['alerts']],
      );
      await team.post({ title: 'Disk full' });
      await app.notified('Disk full');
      await app.click('Mute alerts');
      await app.clickText('8:00 AM');
      await app.sees('Muted until');
      const [muted] = (await devices())[0]?.mutes ?? [];
      const [eight, now] = [new Date(muted?.muted_until ?? ''), new Date()];
      assert.equal([eight.getHours(), eight.getMinutes(), eight > now], [8, 0, true]);
      const { event } = (await team.post({ title: 'Unheard' })).body;
      await until('it is withdrawn', async () => {
        const shown = granted(await team.store.showEvent({ publicId: event.public_id, limit: 1 }));
        return shown.event.deliveries.withdrawn === 1;
      });
      await app.click('Send a test');
      await app.sees('A test is on its way');
      assert.is(await app.page.evaluate(LEFT_ID), (await devices())[0]?.id);

      await app.page.reload();
      await app.sees('Send a test');
      assert.is((await devices()).length, 1);

      // Forgets the device, like a restored backup from before its registration.
      const [known] = await devices();
      await team.store.removeDevice({ id: known?.id ?? '' });
      await app.page.reload();
      await until('it is registered again', async () => {
        const [now] = await devices();
        return now !== undefined && now.id !== known?.id;
      });
      await app.sees('Choose at least one channel');

      await app.click('Settings', 'link');
      await app.click('Sign out');
      await app.sees('With a password');
      await until('the device is gone', async () => (await devices()).length === 0);
      await until('the worker knows no device', async () => (await app.page.evaluate(LEFT_ID)) === null);
      assert.equal(app.faults, []);
    },
  );

  test('An owner without a channel makes the first one from the welcome page of a browser that is a device now', async (parts, opened) => {
    const { team } = parts;
    const url = await originForPushes(parts, opened);
    granted(await team.store.deleteChannel({ workspace: team.slug, slug: 'alerts' }));
    const app = await openAppWithPushes(parts, url, opened);
    await app.page.goto(`${url}/#pair=${await codeFor(team, team.owner)}`);
    await app.click('Sign in');
    await app.becomeDevice();
    await app.click('Choose channels');
    await app.isAt('/devices');
    for (const [path, text] of [
      [`/w/${team.slug}/send`, 'Create or activate one'],
      ['/channels', 'Create one in acme'],
    ] as const) {
      await app.show(path);
      await app.sees(text);
    }
    await app.click(`Create one in ${team.slug}`, 'link');
    await app.isAt(`/w/${team.slug}/channels`);
    await app.click('Create channel');
    await app.fill('slug', 'alerts');
    await app.submit();
    await app.sees('alerts accepts events now.');
    await app.click('Devices', 'link');
    await app.subscribe('alerts');
    await team.post({ title: 'The first one' });
    await app.notified('The first one');
    assert.equal(app.faults, []);
  });
}

/** The id of the device that the page has left for the worker. */
const LEFT_ID = `caches.match('/this-device', { cacheName: 'this-device' })
  .then((kept) => kept?.json()).then((device) => device?.id ?? null)`;
