import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { settled } from '../support/server.ts';
import { type AppPage, openSignedIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** More than a page, all of which refuse what is sent to them. */
const GONE_TABLETS = 55;

/** Long lists, of which a manager wants to see some. */
export function filtersStory(test: BrowserTest): void {
  test('Devices are filtered by platform and by inactive, page by page, and their address leads there again', async (parts, opened) => {
    const { server, sandbox, team } = parts;
    const add = async (platform: 'ios' | 'android', name: string, email: string, isGone = false) => {
      const token = sandbox.token({ platform, ...(isGone && { behaviour: 'unregistered' }) });
      const device = { workspace: team.slug, email, platform, token, name, subscribe: ['alerts'] } as const;
      granted(await team.store.addDevice(device));
    };
    for (const email of [team.bob, team.carl]) await team.join(email);
    for (let nth = 1; nth <= GONE_TABLETS; nth += 1) {
      await add('android', `Old tablet ${nth}`, nth % 2 === 0 ? team.bob : team.carl, true);
    }
    for (let nth = 1; nth <= 3; nth += 1) await add('android', `Tablet ${nth}`, team.bob);
    await add('ios', 'Phone', team.carl);
    await add('ios', 'Old phone', team.carl, true);
    await settled(team, (await team.post()).body.event.public_id);

    const app = await openSignedIn(parts, opened);
    await app.page.goto(`${server.url}/w/${team.slug}/devices`);
    await hasRows(app, 50);
    await choose(app, 'platform', 'ios', `/w/${team.slug}/devices?platform=ios`);
    await hasRows(app, 2);
    await choose(app, 'status', 'inactive', `/w/${team.slug}/devices?platform=ios&status=inactive`);
    await hasRows(app, 1);
    await app.sees('Old phone');
    await choose(app, 'platform', 'android', `/w/${team.slug}/devices?platform=android&status=inactive`);
    await hasRows(app, 50);
    await app.click('Show more');
    await hasRows(app, GONE_TABLETS);
    await app.page.reload();
    await hasRows(app, 50);
    await choose(app, 'status', 'active', `/w/${team.slug}/devices?platform=android&status=active`);
    await hasRows(app, 3);
    assert.equal(app.faults, []);
  });
}

/** A choice counts at once, and stands in the address. */
async function choose({ page, isAt }: AppPage, name: string, value: string, address: string): Promise<void> {
  await page.select(`select[name="${name}"]`, value);
  assert.is(await isAt(address), address);
}

async function hasRows({ page }: AppPage, count: number): Promise<void> {
  await page.waitForFunction(`document.querySelectorAll('.line').length === ${count}`);
}
