import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { until } from '../support/until.ts';
import { assertForEverybody, tooWideAt } from './accessibility.ts';
import { openSignedIn } from './app-page.ts';
import { holdAnswers } from './held-answers.ts';
import type { BrowserTest } from './story.ts';

/** Subscriptions in the web app, by channel and device. */
export function channelsStory(test: BrowserTest): void {
  test.smoke(
    'A channel is switched on and off for one device, and names the devices that get it',
    async (parts, opened) => {
      const { sandbox, team } = parts;
      const { id } = await team.addDevice(sandbox, { platform: 'android' });
      await team.addDevice(sandbox, { platform: 'ios' });
      const channels = async () => {
        const { devices } = granted(await team.store.listDevices({ workspace: team.slug, limit: 10 }));
        return devices.find((device) => device.id === id)?.channels;
      };
      const app = await openSignedIn(parts, opened);
      await app.show('/channels');
      await app.sees('on all of your devices');
      await app.page.locator('summary').click();
      const answers = await holdAnswers(app.page, '/subscriptions/');
      await app.click('Android device', 'checkbox');
      await answers.first();
      await app.page.evaluate(TWO_FRAMES);
      // The switch keeps the focus, and does nothing more until the answer is there.
      await app.page.keyboard.press(' ');
      await answers.letGo();
      await app.sees('on 1 of your 2 devices');
      // The stream may have brought what the answer says before it.
      await app.page.waitForFunction(`document.querySelector('[aria-disabled="true"]') === null`);
      await app.page.waitForFunction(`document.activeElement.type === 'checkbox' && !document.activeElement.checked`);
      await until('it is not subscribed', async () => (await channels())?.length === 0);
      await app.click('Android device', 'checkbox');
      await app.sees('on all of your devices');
      await until('it is subscribed', async () => (await channels())?.[0] === 'alerts');
      assert.equal(app.faults, []);
    },
  );

  test('A channel is muted on one of several devices with one name: for a time, indefinitely, below a level; then unmuted', async (parts, opened) => {
    const { sandbox, team } = parts;
    const ids: string[] = [];
    for (const platform of ['android', 'ios', 'android'] as const)
      ids.push((await team.addDevice(sandbox, { platform })).id);
    const device = async (id: string | undefined) =>
      granted(await team.store.listDevices({ workspace: team.slug, limit: 10 })).devices.find(
        (device) => device.id === id,
      );
    const app = await openSignedIn(parts, opened);
    await app.show('/devices');
    await app.sees('Devices of the same name are numbered');
    await app.page.locator('[aria-label="Channels shown there: Android device (2)"]').click();
    const mute = async (button: string, choice: string) => {
      await app.click(button);
      await app.click(choice);
      await app.page.waitForFunction(`document.querySelector('dialog') === null`);
    };
    await mute('Mute alerts', 'Errors only');
    await app.sees('Errors only');
    assert.equal((await device(ids[2]))?.mutes, [{ channel: 'alerts', min_level: 'error', muted_until: null }]);
    for (const other of ids.slice(0, 2)) assert.equal((await device(other))?.mutes, []);
    await assertForEverybody(app.page, '/devices with a mute');
    assert.equal(await tooWideAt(app.page, 1_000), []);

    await app.show('/channels');
    await app.page.locator('summary').click();
    const onIt = 'Mute alerts on Android device (2)';
    await mute(onIt, 'For an hour');
    await app.sees('After that: Errors only');
    const [muted] = (await device(ids[2]))?.mutes ?? [];
    const leftMs = Date.parse(muted?.muted_until ?? '') - Date.now();
    assert.ok(leftMs > 3_000_000 && leftMs <= 3_600_000, `${leftMs}`);
    await mute(onIt, 'Until I unmute it');
    await app.sees('Muted until further notice');
    const forGood = '9999-12-31T23:59:59.000+00:00';
    assert.equal((await device(ids[2]))?.mutes, [{ channel: 'alerts', min_level: 'error', muted_until: forGood }]);
    await assertForEverybody(app.page, '/channels with a mute');
    assert.equal(await tooWideAt(app.page, 1_000), []);
    // Their manager sees it as well, and why the device is silent.
    await app.show(`/w/${team.slug}/devices/${ids[2]}`);
    await app.sees('Muted until further notice');
    await app.show('/channels');
    await app.page.locator('summary').click();
    await mute(onIt, 'Unmute');
    await app.seesNo('Muted until');
    await app.sees('Errors only');
    await mute(onIt, 'Events of all levels');
    await app.seesNo('Errors only');
    assert.equal((await device(ids[2]))?.mutes, []);
    assert.equal(app.faults, []);
  });
}

const TWO_FRAMES = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`;
