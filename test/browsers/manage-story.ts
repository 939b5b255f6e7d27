import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { startTestServer } from '../support/server.ts';
import { codeFor, letProofsExpire } from '../support/sign-in.ts';
import { assertForEverybody } from './accessibility.ts';
import { openApp, signIn } from './app-page.ts';
import { holdAnswers } from './held-answers.ts';
import { postWith, shownKey } from './keys.ts';
import { fromMenu } from './menus.ts';
import type { BrowserTest } from './story.ts';

const PLACES = ['', '/events', '/send', '/channels', '/heartbeats', '/keys', '/members', '/devices', '/audit'];

/** What owners and admins do in the web app, in every browser. */
export function manageStory(test: BrowserTest): void {
  test('A key is issued by who shows that it is them, posts, and is refused once revoked', async (parts, opened) => {
    const { server, team, env } = await startTestServer(opened);
    const app = await openApp(parts.browser, opened);
    await signIn(app, server.url, team, 'ada@example.com');
    letProofsExpire(env.PUSHCTL_DATA_DIR ?? '');
    await app.page.goto(`${server.url}/w/acme/keys`);
    await app.click('Issue key');
    await app.fill('name', 'CI');
    await app.submit();
    await app.sees('Confirm that it is you');
    await app.click('Use a pairing code instead');
    await app.fill('proof', await codeFor(team, 'ada@example.com'));
    await app.click('Continue');
    await app.sees('Save this key now');
    await app.page.keyboard.press('Escape');
    const key = await shownKey(app);
    assert.is(await postWith(server.url, key), 202);
    await app.click('I have saved it');
    await app.sees('CI');
    await app.seesNo('expires');
    await app.click('Revoke CI');
    await app.submit();
    await app.sees('CI is revoked.');
    assert.is(await postWith(server.url, key), 403);
    assert.equal(app.faults, []);
  });

  test('Keys are listed once their channels have names, so that no slug stands there before', async (parts, opened) => {
    const { server, team } = await startTestServer(opened);
    granted(await team.store.createChannel({ workspace: 'acme', slug: 'on-call', name: 'Night shift' }));
    await team.issueKey({ name: 'CI', channels: ['on-call'] });
    const app = await openApp(parts.browser, opened);
    await signIn(app, server.url, team);
    const channels = await holdAnswers(app.page, '/acme/channels');
    await app.page.evaluate(`(() => {
      window.hadSlug = false;
      const look = () => { hadSlug ||= document.querySelector('main').innerText.includes('on-call'); };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
    })()`);
    await app.show('/w/acme/keys');
    await channels.first();
    const haveKeysCome = `performance.getEntriesByType('resource')
      .some(({ name, responseEnd }) => name.endsWith('/acme/keys') && responseEnd > 0)`;
    await app.page.waitForFunction(haveKeysCome);
    await channels.letGo();
    await app.sees('Night shift');
    assert.is(await app.page.evaluate('hadSlug'), false);
    assert.equal(app.faults, []);
  });

  test('An event that is half written is still there after signing in again, and gone once it is sent', async ({
    browser,
  }, opened) => {
    const { server, team } = await startTestServer(opened);
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.show('/w/acme/send');
    await app.fill('title', 'Disk full');
    await app.page.select('[name="level"]', 'error');
    await app.page.locator('summary').click();
    await app.fill('event_type', 'disk.full');
    granted(await team.store.closeSessions({ email: 'ada@example.com' }));
    await app.sees('Your session has ended');
    await app.fill('code', await codeFor(team, 'ada@example.com'));
    await app.submit();
    const written = `['title', 'level', 'event_type'].map((name) => document.querySelector('[name=' + name + ']')?.value).join()`;
    await app.page.waitForFunction(`${written} === 'Disk full,error,disk.full'`);
    await app.click('Check');
    await app.click('Send to 0 devices');
    await app.page.waitForFunction(`${written} === ',info,'`);
    assert.equal(app.faults, []);
  });

  test('A channel is made, and a person who is invited signs in by their link', async ({ browser }, opened) => {
    const { server, team } = await startTestServer(opened);
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/acme/channels`);
    await app.click('Create channel');
    await app.fill('slug', 'deploys');
    await app.submit();
    await app.sees('deploys takes events now.');
    await app.page.goto(`${server.url}/w/acme/members`);
    await app.click('Invite');
    await app.fill('email', 'bob@example.com');
    await app.submit();
    await app.page.waitForSelector('.qr path');
    const link = await app.page.$eval('dialog[open] pre', (pre) => pre.textContent ?? '');
    const theirs = await openApp(browser, opened);
    // The address that the server thinks it has is another one here.
    await theirs.page.goto(server.url + new URL(link).pathname + new URL(link).hash);
    await theirs.click('Sign in');
    await theirs.sees('You are signed in as bob@example.com');
    await theirs.page.goto(`${server.url}/w/acme/keys`);
    await theirs.sees('Only owners and admins of acme see this');
    assert.equal([...app.faults, ...theirs.faults], []);
  });

  test('A member is signed out everywhere, hears of it at once, and keeps their devices', async ({
    browser,
  }, opened) => {
    const { server, team } = await startTestServer(opened);
    await team.join('bob@example.com');
    const device = { workspace: 'acme', email: 'bob@example.com', platform: 'ios', token: 'ab'.repeat(32) } as const;
    granted(await team.store.addDevice(device));
    const theirs = await openApp(browser, opened);
    await signIn(theirs, server.url, team, 'bob@example.com');
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/acme/members`);
    await fromMenu(app, 'bob@example.com', 'Sign out bob@example.com everywhere');
    await app.sees('Their devices stay');
    await app.submit();
    await app.sees('bob@example.com is signed out everywhere.');
    assert.is(await app.page.$('[aria-label="Sign out ada@example.com everywhere"]'), null, 'that is in the settings');
    await theirs.page.bringToFront();
    await theirs.sees('Your session has ended');
    await app.page.bringToFront();
    await app.page.goto(`${server.url}/w/acme/audit`);
    await app.sees('ada@example.com signed out bob@example.com');
    await app.page.goto(`${server.url}/w/acme/devices`);
    await app.sees('bob@example.com');
    assert.equal([...app.faults, ...theirs.faults], []);
  });

  test('An event is sent by hand once it was checked, and is on its page, in the plot and the list', async (parts, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    const app = await openApp(parts.browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/acme/send`);
    await app.page.waitForSelector('[name="channel"] option');
    await app.fill('title', 'Disk full');
    await app.submit();
    await app.click('Send to 1 device');
    await app.click('Follow its deliveries', 'link');
    const publicId = (await app.isAt('/w/acme/events/evt_')).split('/').at(-1) ?? '';
    const sent = granted(await team.store.showEvent({ publicId, limit: 1 })).event;
    assert.equal([sent.level, sent.expires_in], ['info', null]);
    await app.page.waitForFunction(`document.querySelector('h1')?.textContent === 'Disk full'`);
    await app.page.goto(`${server.url}/w/acme`);
    await app.sees('Everything works: 1 event');
    await app.page.waitForSelector('canvas[role="img"]');
    await app.page.waitForFunction(`[...document.querySelectorAll('canvas')].every((canvas) =>
      canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0))`);
    await app.page.goto(`${server.url}/w/acme/events`);
    await app.sees('Disk full');
    await team.post({ title: 'Came while the page was open' });
    await app.sees('Came while the page was open');
    assert.equal(app.faults, []);
  });

  test('The events of a workspace are walked through by keyboard, which the help explains', async (parts, opened) => {
    const { server, team } = await startTestServer(opened);
    await team.post({ title: 'Disk full' });
    await team.post({ title: 'Deploy finished' });
    const app = await openApp(parts.browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/acme/events`);
    await app.sees('Disk full');
    for (const key of ['j', 'j', 'j', 'k', 'j', 'k'] as const) await app.page.keyboard.press(key);
    const focused = () => app.page.evaluate('document.activeElement.textContent');
    assert.is(await focused(), 'Deploy finished');
    await app.page.keyboard.press('?');
    await app.sees('Next event');
    await app.page.keyboard.press('j');
    await app.page.keyboard.press('Escape');
    await app.page.waitForFunction(`document.querySelector('dialog') === null`);
    assert.is(await focused(), 'Deploy finished');
    await app.page.keyboard.press('j');
    await app.page.keyboard.press('Enter');
    await app.page.waitForFunction(`document.querySelector('h1')?.textContent === 'Disk full'`);
    await app.isAt('/w/acme/events/evt_');
    assert.equal(app.faults, []);
  });

  test('The pages about a workspace can be used by everybody, in both schemes, and on a narrow phone', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    const { event } = (await team.post({ level: 'error', delivery_urgency: 'time_sensitive' })).body;
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    for (const place of [...PLACES, `/events/${event.public_id}`]) {
      await app.page.goto(`${server.url}/w/acme${place}`);
      await app.page.waitForSelector('main h1');
      await assertForEverybody(app.page, place);
    }
    assert.equal(app.faults, []);
  });
}
