import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { settled } from '../support/server.ts';
import { codeFor } from '../support/sign-in.ts';
import { assertForEverybody } from './accessibility.ts';
import { openSignedIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** How a manager finds one thing among many, and what is on the page of each. */
export function manyThingsStory(test: BrowserTest): void {
  test('A member is found by a search, their device subscribed on its page, and the page of its channel says how that insists', async (parts, opened) => {
    const { server, sandbox, team } = parts;
    await team.join(team.bob);
    const token = sandbox.token({ platform: 'android' });
    granted(
      await team.store.addDevice({ workspace: team.slug, email: team.bob, platform: 'android', token, name: 'Tablet' }),
    );
    for (let n = 0; n < 60; n += 1) await team.join(`member-${n}@example.com`);
    const app = await openSignedIn(parts, opened);
    await app.page.goto(`${server.url}/w/${team.slug}/members`);
    await app.page.waitForFunction(`document.querySelectorAll('.line').length === 50`);
    assert.is(await app.page.title(), `Members · ${team.slug} · pushctl`);
    await app.click('Show more');
    await app.page.waitForFunction(`document.querySelectorAll('.line').length === 62`);
    await app.click('member-9@example.com', 'link');
    await app.sees('Where they are signed in');
    granted(await team.store.removeMember({ workspace: team.slug, email: 'member-8@example.com' }));
    await app.page.goBack();
    await app.page.waitForFunction(`document.querySelectorAll('.line').length === 61`);
    const isSeen = `(() => {
      const { top, bottom } = document.querySelector('.line-name[href$="member-9%40example.com"]').getBoundingClientRect();
      return scrollY > 0 && top > 0 && bottom < innerHeight;
    })()`;
    assert.ok(await app.page.evaluate(isSeen), 'Back leads to the row, and a member who is gone is not there');
    // Without Enter, and what was found before stays until then.
    await app.page.evaluate(`(() => {
      window.wasEmpty = false;
      const look = () => { wasEmpty ||= document.querySelector('.lines') === null; };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    })()`);
    await app.page.type('[name="q"]', 'bob@');
    await app.page.waitForFunction(`document.querySelectorAll('.line').length === 1`);
    assert.is(await app.page.evaluate('wasEmpty'), false);
    await assertForEverybody(app.page, 'members that were searched');
    await app.click(team.bob, 'link');
    await app.isAt(`/w/${team.slug}/members/`);
    await app.sees('Where they are signed in');
    await app.sees('Tablet');
    await assertForEverybody(app.page, 'a member');
    await app.click('Tablet', 'link');
    await app.sees('Channels that this device gets');
    await assertForEverybody(app.page, 'a device');
    await app.page.locator('input[type="checkbox"]').click();
    await app.page.waitForFunction(`document.querySelector('input[type="checkbox"]').checked`);
    granted(await team.store.createChannel({ workspace: team.slug, slug: 'leads', name: 'Team leads' }));
    const insist = { repeat: 120, until: 3_600, escalate: { after: 600, channel: 'leads' } };
    granted(await team.store.updateChannel({ workspace: team.slug, slug: 'alerts', insist }));
    await app.page.goto(`${server.url}/w/${team.slug}/channels/alerts`);
    await app.sees('Tablet');
    await app.sees('After 10 minutes, Team leads is alerted as well.');
    await assertForEverybody(app.page, 'a channel');
    await app.page.goto(`${server.url}/w/${team.slug}/audit`);
    await app.sees('subscribed the device');
    assert.equal(app.faults, []);
  });

  test('Several people are invited at once, and none if a part is no address', async (parts, opened) => {
    const { server, team } = parts;
    const app = await openSignedIn(parts, opened);
    await app.page.goto(`${server.url}/w/${team.slug}/members`);
    await app.click('Invite');
    await app.fill('email', 'eve@example.com, nobody');
    await app.submit();
    await app.sees('These are not email addresses: nobody');
    granted(await team.store.closeSessions({ email: team.owner }));
    await app.sees('Your session has ended');
    await app.fill('code', await codeFor(team, team.owner));
    await app.submit();
    await app.click('Invite');
    const written = await app.page.$eval('[name="email"]', (field) => (field as HTMLTextAreaElement).value);
    assert.is(written, 'eve@example.com, nobody');
    const members = async () => granted(await team.store.listMembers({ workspace: team.slug })).length;
    assert.is(await members(), 1);
    await app.fill('email', `eve@example.com, carl@example.com\n${team.owner}`);
    await app.submit();
    await app.sees('2 people were invited');
    await app.sees(`${team.owner}:`);
    const links = await app.page.$eval('dialog[open] pre', (pre) => pre.textContent ?? '');
    assert.match(links, /eve@example\.com {2}https?:\S+#pair=\S+\ncarl@example\.com {2}https?:\S+#pair=/);
    await app.click('Done');
    await app.sees('carl@example.com');
    assert.is(await members(), 3);
    assert.equal(app.faults, []);
  });

  test('A problem with a field that the form lacks is shown at its end, and other problems at their fields alone', async (parts, opened) => {
    const { server, team } = parts;
    const app = await openSignedIn(parts, opened);
    await app.page.goto(`${server.url}/w/${team.slug}/channels`);
    const [taken, missing] = ['The slug field is taken.', 'The plan field is missing.'];
    const body = JSON.stringify({
      message: 'Two.',
      code: 'invalid_fields',
      errors: { slug: [taken], plan: [missing] },
    });
    await app.page.setRequestInterception(true);
    app.page.on('request', (request) => {
      const isMade = request.method() === 'POST' && request.url().endsWith('/channels');
      void (isMade ? request.respond({ status: 422, contentType: 'application/json', body }) : request.continue());
    });
    await app.click('Create channel');
    await app.fill('slug', 'deploys');
    await app.submit();
    await app.sees(missing);
    const text = await app.page.$eval('dialog', (dialog) => dialog.textContent ?? '');
    assert.is(text.split(taken).length, 2);
  });

  test('Failed pushes of an event come first and are sent again, and queued pushes are cancelled after a warning', async (parts, opened) => {
    const { server, sandbox, team } = parts;
    const { token } = await team.addDevice(sandbox, { platform: 'android' });
    await team.addDevice(sandbox, { platform: 'android' });
    const fix = sandbox.behave({ match: { token }, answer: { kind: 'refuse', reason: 'THIRD_PARTY_AUTH_ERROR' } });
    const { event } = (await team.post({ title: 'Disk full' })).body;
    await settled(team, event.public_id);
    const app = await openSignedIn(parts, opened);
    await app.page.goto(`${server.url}/w/${team.slug}/events/${event.public_id}`);
    await app.sees('1 failed');
    const order = `[...document.querySelectorAll('.deliveries summary')].map((element) => element.textContent)`;
    assert.equal(await app.page.evaluate(order), ['1 failed', '1 accepted']);
    await assertForEverybody(app.page, 'an event that failed');
    await app.click('Send again');
    await app.sees('was accepted already and is not sent again');
    fix();
    await app.submit();
    await app.sees('1 push is queued again.');
    await app.sees('2 accepted');

    await team.addDevice(sandbox, { platform: 'ios' });
    granted(await team.store.pauseRoute({ route: 'fcm' }));
    const { public_id: publicId } = (await team.post({ title: 'Disk still full' })).body.event;
    await app.page.goto(`${server.url}/w/${team.slug}/events/${publicId}`);
    await app.sees('1 accepted');
    await app.click('Cancel sending');
    await app.sees('1 push was accepted already and cannot be recalled.');
    await app.submit();
    await app.sees('It was cancelled');
    await app.seesNo('Cancel sending');
    const { deliveries } = granted(await team.store.showEvent({ publicId, limit: 3 })).event;
    assert.equal([deliveries.accepted, deliveries.withdrawn], [1, 2]);
    await team.store.resumeRoute({ route: 'fcm' });
    assert.equal(app.faults, []);
  });

  test('A manager of two workspaces switches between them, and stays at the same list', async (parts, opened) => {
    const { server, team } = parts;
    granted(await team.store.createWorkspace({ slug: 'globex', name: 'Globex' }));
    granted(await team.store.addMember({ workspace: 'globex', email: team.owner, role: 'owner' }));
    const app = await openSignedIn(parts, opened);
    await app.page.setViewport({ width: 1200, height: 800 });
    await app.page.goto(`${server.url}/w/${team.slug}/keys`);
    await app.page.waitForSelector('.nav-group summary');
    assert.is(await app.page.$$eval('.nav-group', (groups) => groups.length), 1);
    await app.page.locator('.nav-group summary').click();
    await app.click('Globex', 'link');
    await app.isAt('/w/globex/keys');
    await app.page.waitForFunction(`document.title === 'API keys · Globex · pushctl'`);
    await app.page.setViewport({ width: 390, height: 844 });
    await app.page.waitForFunction(`document.querySelector('.tabs [aria-current]')?.textContent === 'API keys'`);
    await app.show('/');
    await app.click('Manage', 'link');
    await app.isAt('/w/globex');
    assert.equal(app.faults, []);
  });
}
