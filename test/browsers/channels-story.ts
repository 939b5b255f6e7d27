import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** Subscriptions in the web app, by channel and device. */
export function channelsStory(test: BrowserTest): void {
  test('A channel is switched on and off for one device, and says where one gets it', async ({ browser }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    const { id } = await team.addDevice(sandbox, { platform: 'android' });
    await team.addDevice(sandbox, { platform: 'ios' });
    const channels = async () => {
      const { devices } = granted(await team.store.listDevices({ workspace: 'acme', limit: 10 }));
      return devices.find((device) => device.id === id)?.channels;
    };
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.show('/channels');
    await app.sees('on all of your devices');
    await app.page.locator('summary').click();
    await app.click('Android device', 'checkbox');
    await app.sees('on 1 of your 2 devices');
    await until('it is not subscribed', async () => (await channels())?.length === 0);
    await app.click('Android device', 'checkbox');
    await app.sees('on all of your devices');
    await until('it is subscribed', async () => (await channels())?.[0] === 'alerts');
    assert.equal(app.faults, []);
  });
}
