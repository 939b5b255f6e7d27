import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { until } from '../support/until.ts';
import { openSignedIn } from './app-page.ts';
import { holdAnswers } from './held-answers.ts';
import { fromMenu } from './menus.ts';
import type { BrowserTest } from './story.ts';

const CHANNELS = 250;
/** The number of channels that a list shows until more are asked for. */
const PAGE = 100;
const SHOWN = 20;
const slugOf = (n: number): string => `channel-${String(n).padStart(3, '0')}`;

/** A workspace with more channels than any list of them shows at once. */
export function manyChannelsStory(test: BrowserTest): void {
  test('On a phone a key is bound to one of 250 channels by a search, and a long list ends with the way back', async (parts, opened) => {
    const { server, team } = parts;
    for (let n = 1; n < CHANNELS; n += 1) {
      granted(await team.store.createChannel({ workspace: team.slug, slug: slugOf(n), name: `Service ${n}` }));
    }
    const app = await openSignedIn(parts, opened);
    await app.page.setViewport({ width: 320, height: 568 });
    await app.page.goto(`${server.url}/w/${team.slug}/keys`);
    const channels = await holdAnswers(app.page, '/channels?');
    await app.click('Issue key');
    await app.fill('name', 'CI');
    await channels.first();
    assert.ok(
      await app.page.$('dialog [type="submit"][aria-disabled="true"]'),
      'no key for all channels before there is a choice',
    );
    await app.page.focus('dialog [name="name"]');
    await app.page.keyboard.press('Enter');
    await channels.letGo();
    await app.sees(`0 chosen, ${PAGE} shown`);
    await app.sees(`The first ${PAGE} channels are listed.`);
    const isOnScreen = `(() => {
      const { top, bottom } = document.querySelector('dialog [type="submit"]').getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    })()`;
    assert.ok(await app.page.evaluate(isOnScreen), 'the button, while the form is at its beginning');
    await app.page.evaluate(`document.querySelector('dialog').scrollTop = 1e6`);
    assert.ok(await app.page.evaluate(isOnScreen), 'the button, while the form is at its end');
    await app.page.locator('dialog [type="search"]').fill('service 237');
    await app.sees('0 chosen, 1 shown');
    await app.page.locator(`dialog [value="${slugOf(237)}"]`).click();
    await app.page.locator('dialog [type="search"]').fill('service 9999');
    await app.sees('No channel matches.');
    await app.page.locator('dialog [type="search"]').click({ count: 3 });
    await app.page.keyboard.press('Backspace');
    await app.sees(`1 chosen, ${PAGE} shown`);
    await app.click('Show more channels');
    await app.sees(`1 chosen, ${2 * PAGE} shown`);
    await app.click('Show more channels');
    await app.sees(`1 chosen, ${CHANNELS} shown`);
    await app.seesNo('Show more channels');
    await app.submit();
    await app.sees('Save this key now');
    const keys = granted(await team.store.listKeys({ workspace: team.slug }));
    assert.equal(keys.find(({ name }) => name === 'CI')?.channels, [slugOf(237)]);

    await app.page.setViewport({ width: 390, height: 844 });
    await app.page.goto(`${server.url}/w/${team.slug}/channels`);
    await app.page.waitForFunction(`document.querySelectorAll('.line').length === ${PAGE}`);
    const name = `Service ${PAGE / 2}`;
    await fromMenu(app, name, `Deactivate ${name}`);
    await app.sees('Undo');
    const isSeen = `(() => {
      const { top, bottom } = document.querySelector('.toast button').getBoundingClientRect();
      return scrollY > 0 && top > innerHeight / 2 && bottom <= document.querySelector('.nav').getBoundingClientRect().top;
    })()`;
    assert.ok(await app.page.evaluate(isSeen));
    await app.click('Undo');
    await app.seesNo('Undo');
    assert.equal(app.faults, []);
  });

  test('Forms and filters find a channel beyond the first page, and lists and the overview say that they go on', async (parts, opened) => {
    const { sandbox, server, team } = parts;
    for (let n = 1; n < CHANNELS; n += 1) {
      granted(await team.store.createChannel({ workspace: team.slug, slug: slugOf(n), name: `Service ${n}` }));
    }
    const { id: device } = await team.addDevice(sandbox, { platform: 'android' });
    const [slug, name] = [slugOf(237), 'Service 237'];
    const app = await openSignedIn(parts, opened);
    const find = async () => {
      await app.sees(`The first ${PAGE} channels are listed.`);
      await app.page.locator('[aria-label="Search channels"]').fill(name);
      await app.seesNo('channels are listed');
    };
    const options = () => app.page.$$eval('select[name="channel"] option', (all) => all.map(({ value }) => value));

    await app.page.goto(`${server.url}/w/${team.slug}/send`);
    await find();
    // A chosen channel stays chosen during a search for others.
    assert.equal(await options(), ['alerts', slug]);
    await app.page.select('select[name="channel"]', slug);
    await app.fill('title', 'Disk full');
    await app.click('Check');
    await app.sees('no device is subscribed');

    for (const place of [`/w/${team.slug}/events`, `/w/${team.slug}/devices`, '/?channel=alerts']) {
      await app.page.goto(`${server.url}${place}`);
      await find();
      await app.page.select('select[name="channel"]', slug);
      await app.page.waitForFunction(`location.search === '?channel=${slug}'`);
      await app.page.reload();
      const chosen = `document.querySelector('select[name="channel"]')?.selectedOptions[0]?.textContent`;
      await app.page.waitForFunction(`${chosen} === '${name}'`);
    }

    for (const place of [`/w/${team.slug}/devices/${device}`, '/channels']) {
      await app.page.goto(`${server.url}${place}`);
      await find();
      await app.sees(name);
    }
    await app.page.locator('.channel > summary').click();
    await app.page.locator('.channel [type="checkbox"]').click();
    const subscribed = async () => granted(await team.store.listDevices({ workspace: team.slug, limit: 1 })).devices[0];
    await until('it is subscribed', async () => (await subscribed())?.channels.includes(slug) === true);
    await app.page.goto(`${server.url}/w/${team.slug}/heartbeats`);
    await app.click('Add heartbeat');
    await find();

    // The name of a channel that is gone is asked for once, however often others are looked for.
    await app.page.goto(`${server.url}/w/${team.slug}/devices?channel=gone`);
    await app.sees('channels are listed');
    for (const nth of [237, 238, 239]) {
      await app.page.locator('[aria-label="Search channels"]').fill(`Service ${nth}`);
      await until('it is found', async () => (await options()).includes(slugOf(nth)));
    }
    const asked = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('q=gone')).length`;
    assert.is(await app.page.evaluate(asked), 1);

    for (let n = 1; n <= SHOWN; n += 1) await team.post({ channel: slugOf(n), title: 'Disk full' });
    await team.post({ title: 'Disk full' });
    await app.page.goto(`${server.url}/w/${team.slug}`);
    const rows = `document.querySelectorAll('section[aria-label="By channel"] tbody tr').length`;
    await app.page.waitForFunction(`${rows} === ${SHOWN}`);
    await app.click(`Show all ${SHOWN + 1} channels`);
    await app.page.waitForFunction(`${rows} === ${SHOWN + 1}`);
    assert.equal(app.faults, []);
  });
}
