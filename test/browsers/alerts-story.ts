import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import type { Resources } from '../support/resources.ts';
import { settled } from '../support/server.ts';
import { assertForEverybody } from './accessibility.ts';
import { type AppPage, openApp, RECONNECTS_WITHIN_MS, signIn } from './app-page.ts';
import { holdAnswers } from './held-answers.ts';
import { goOffline } from './offline.ts';
import type { BrowserInTest, BrowserTest } from './story.ts';

const DISK = { title: 'Disk full', level: 'error', delivery_urgency: 'time_sensitive', collapse_key: 'disk' };
const PHONE = { width: 390, height: 844 };
/** The part of a phone's screen that the thumb of the holding hand reaches. */
const IN_REACH = 0.6;

/** Presses its key as soon as there is a button for it, before anything is painted. */
const RESOLVE_AT_ONCE = `new MutationObserver((_, observer) => {
  if (document.querySelector('.alert-actions') === null) return;
  observer.disconnect();
  dispatchEvent(new KeyboardEvent('keydown', { key: 'e' }));
}).observe(document, { childList: true, subtree: true })`;

/** Presses it as soon as something else is said of the alert, before anything is painted. */
const RESOLVE_WHEN_CHANGED = `(() => {
  const [line] = document.getElementsByClassName('alert-said');
  new MutationObserver((_, observer) => {
    observer.disconnect();
    document.querySelector('.alert-resolve').click();
    dispatchEvent(new KeyboardEvent('keydown', { key: 'e' }));
  }).observe(line, { characterData: true, childList: true, subtree: true });
})()`;

/** The server has another build a moment after the next gap, and Resolve is clicked once a banner says so. */
const RESOLVE_UNDER_BANNER = `(() => {
  const ask = window.fetch;
  const another = () => new Promise((resolve) => setTimeout(() => resolve(new Response('another build')), 1_500));
  window.fetch = (address, options) => (address === '' ? another() : ask(address, options));
  new MutationObserver((_, observer) => {
    if (document.querySelector('.banner button') === null) return;
    observer.disconnect();
    setTimeout(() => document.querySelector('.alert-resolve').click());
  }).observe(document.querySelector('main'), { childList: true, subtree: true });
})()`;

/** Submits the dialog as soon as something else is said of the alert. */
const SUBMIT_WHEN_CHANGED = `(() => {
  const [line] = document.getElementsByClassName('alert-said');
  new MutationObserver((_, observer) => {
    observer.disconnect();
    document.querySelector('dialog[open] [type="submit"]').click();
  }).observe(line, { characterData: true, childList: true, subtree: true });
})()`;

/** Snoozes an alert behind what is shown. */
const snoozed = (id: string) => `fetch('/api/v1/events/${id}/acknowledge', {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"for":1800}'
}).then(({ ok }) => ok || Promise.reject(new Error('not snoozed')))`;

/** The server answers no change until the page gives up. */
const HANG = `(() => {
  window.ask = window.fetch;
  window.fetch = (request, options) => options.method === 'GET' ? ask(request, options) : new Promise((_, reject) => {
    options.signal.addEventListener('abort', () => reject(options.signal.reason));
  });
})()`;
/** After which it does (in src/web/api/client.ts). */
const ACTION_MS = 8_000;

/** All that is said of the alert from here on. */
const KEEP_WHAT_IS_SAID = `(() => {
  document.activeElement.blur();
  const [line] = document.getElementsByClassName('alert-said');
  window.said = [];
  new MutationObserver(() => said.push(line.textContent)).observe(line, { characterData: true, childList: true, subtree: true });
})()`;

/** Alerts of a channel that insists, in the apps of two members. */
export function alertsStory(test: BrowserTest): void {
  test.smoke(
    'If one member takes, snoozes or resolves an alert, another member sees it at once, and their buttons stay in place',
    async (parts, opened) => {
      const { team, ada, bob, url } = await twoMembers(parts, opened);
      const { public_id: id } = (await team.post(DISK)).body.event;
      await ada.sees('Needs someone');
      await ada.sees('Open since');
      await ada.click('Alerts 1 open', 'link');
      await ada.sees('escalates to leads at');

      await settled(team, id);
      await bob.page.bringToFront();
      await bob.page.setViewport(PHONE);
      await bob.page.goto(`${url}/events/${id}`);
      await bob.sees('Open since');
      await bob.sees('Who was notified');
      const places = await placesOf(bob);
      assert.ok(
        places.every(({ top }) => top > IN_REACH * PHONE.height),
        'the buttons are at the bottom edge',
      );
      await bob.tap('Acknowledge');
      await bob.sees('You acknowledged the alert.');
      assert.equal(await placesOf(bob), places);
      await bob.tap('Undo');
      await bob.sees('Open since');
      await bob.seesNo('You acknowledged the alert.');
      await bob.page.waitForSelector('.alert-take:not([aria-disabled="true"])');
      await bob.tap('Acknowledge');
      await bob.sees('With you since');
      await ada.page.bringToFront();
      await ada.sees('Acknowledged');
      await ada.sees('With bob since');

      // Bob is about to resolve it as ada puts it off.
      await bob.page.evaluate(RESOLVE_WHEN_CHANGED);
      await ada.click('Disk full', 'link');
      await ada.click('Snooze');
      await ada.click('30 min');
      await ada.sees('With bob since');
      await ada.sees('snoozed by you, opens again');
      await bob.page.bringToFront();
      await bob.sees('snoozed by ada, opens again');
      assert.equal(await placesOf(bob), places);
      await bob.page.tap('.alert-take');
      await bob.sees('You have this alert.');
      assert.equal(await placesOf(bob), places);
      await bob.tap('Resolve');
      await bob.sees('Resolved by you');
      assert.equal(await placesOf(bob), places);
      await bob.page.tap('.alert-take');
      await bob.sees('This alert is resolved.');
      assert.equal(await placesOf(bob), places);
      await ada.page.bringToFront();
      await ada.sees('Resolved by bob');
      await ada.page.waitForSelector('.alert-reopen:not([aria-disabled="true"])');
      await ada.click('Reopen');
      await ada.sees('Reopened by you');
      await ada.click('Reassign');
      await ada.click('bob');
      await ada.sees('reassigned to bob, open for everyone');
      await bob.page.bringToFront();
      await bob.sees('reassigned to you, open for everyone');
      assert.equal(await placesOf(bob), places);
      await ada.page.bringToFront();
      await ada.page.waitForSelector('.alert-resolve:not([aria-disabled="true"])');
      await ada.click('Resolve');
      await ada.sees('Resolved by you');
      // Bob reopens it on his phone.
      await bob.page.bringToFront();
      await bob.sees('Resolved by ada');
      assert.equal(await placesOf(bob), places);
      await bob.page.waitForSelector('.alert-reopen:not([aria-disabled="true"])');
      await bob.tap('Reopen');
      await bob.sees('Reopened by you');
      await bob.sees('Open since');
      assert.equal(await placesOf(bob), places);
      await bob.page.waitForSelector('.alert-resolve:not([aria-disabled="true"])');
      await bob.tap('Resolve');
      await bob.sees('Resolved by you');
      await ada.page.bringToFront();
      await ada.sees('Resolved by bob');
      await ada.click('Alerts', 'link');
      await ada.sees('No open alerts');
      await ada.sees('Earlier');
      assert.equal([...ada.faults, ...bob.faults], []);
    },
  );

  test('A member acknowledges all open alerts of a channel at once on an accessible page that keeps namesakes distinct', async (parts, opened) => {
    const { team, ada, bob } = await twoMembers(parts, opened);
    await team.post(DISK);
    await team.post({ ...DISK, title: 'القرص ممتلئ', level: 'warning', collapse_key: 'other' });
    const { public_id: id } = (await team.post({ ...DISK, title: 'Third', collapse_key: 'third' })).body.event;
    await ada.sees('Third');
    for (const [path, text] of [
      ['/', 'Needs someone'],
      ['/alerts', 'Acknowledge all 3 in alerts'],
      [`/events/${id}`, '2 other alerts are open'],
    ] as const) {
      await ada.show(path);
      await ada.sees(text);
      if (path.startsWith('/events')) {
        await ada.click('Snooze');
        const order: unknown[] = [];
        for (let nth = 0; nth < 5; nth += 1) {
          await ada.page.keyboard.press('Tab');
          order.push(await ada.page.evaluate('document.activeElement.textContent.slice(0, 5)'));
        }
        assert.equal(order, ['30 mi', '2 h', 'Until', 'Other', 'Resol']);
      }
      await assertForEverybody(ada.page, path);
    }
    await ada.click('2 other alerts are open', 'link');
    await team.post({ ...DISK, title: 'Fourth', collapse_key: 'fourth' });
    await ada.page.waitForFunction(
      `document.querySelector('[role="alert"].said')?.textContent === 'New alert: Fourth'`,
    );
    await ada.page.setViewport(PHONE);
    await ada.tap('Acknowledge all 4 in alerts');
    await ada.sees('Acknowledged');
    await ada.seesNo('Needs someone');
    await ada.tap('Undo');
    await ada.sees('Needs someone');
    await ada.seesNo('Acknowledged');
    await ada.tap('Acknowledge all 4 in alerts');
    await ada.sees('Acknowledged');
    await assertForEverybody(ada.page, 'with what can be undone');

    for (const email of [team.owner, team.bob]) granted(await team.store.renameUser({ email, name: 'Alex' }));
    await ada.show(`/events/${id}`);
    await ada.sees('You acknowledged it');
    await bob.page.bringToFront();
    await bob.show(`/events/${id}`);
    await bob.sees('ada acknowledged it');
    await bob.page.waitForSelector('.alert-reopen:not([aria-disabled="true"])');
    await bob.click('Reopen');
    await bob.sees('Reopened by you');
    await ada.page.bringToFront();
    await ada.sees('Reopened by Alex');
    await ada.page.waitForSelector('.alert-reassign:not([aria-disabled="true"])');
    await ada.tap('Reassign');
    await ada.tap('Alex');
    await ada.sees('reassigned to Alex, open for everyone');
    await bob.page.bringToFront();
    await bob.sees('reassigned to you, open for everyone');
    await bob.sees('Reassigned to you by Alex');
    assert.equal([...ada.faults, ...bob.faults], []);
  });

  test('A key acts once its button is shown, a late answer brings back no resolved alert, and failures are shown at their button', async (parts, opened) => {
    const { team, ada, bob, url } = await twoMembers(parts, opened);
    const { public_id: first } = (await team.post(DISK)).body.event;
    await ada.page.evaluate(RESOLVE_AT_ONCE);
    await ada.show(`/events/${first}`);
    await ada.sees('Resolved by you');
    await ada.sees('The alert is resolved.');
    await ada.page.keyboard.press('z');
    await ada.sees('Open since');
    await ada.page.waitForSelector('.alert-resolve:not([aria-disabled="true"])');
    await ada.page.keyboard.press('e');
    await ada.sees('Resolved by you');

    const { public_id: id } = (await team.post({ ...DISK, title: 'Disk still full' })).body.event;
    await ada.show(`/events/${id}`);
    await ada.sees('Open since');
    const goOnline = await goOffline(ada.page);
    await ada.sees('You are offline');
    await ada.click('Acknowledge');
    await ada.sees('The server cannot be reached right now');
    // Right after that banner, a click does nothing.
    await ada.page.evaluate(RESOLVE_UNDER_BANNER);
    await goOnline();
    await ada.seesNo('You are offline', RECONNECTS_WITHIN_MS);
    await ada.seesNo('The server cannot be reached right now');
    await ada.sees('A new version');
    await ada.sees('Open since');

    await ada.page.setViewport(PHONE);
    await ada.page.evaluate(HANG);
    await ada.tap('Acknowledge');
    await ada.sees('No answer yet', ACTION_MS);
    await ada.sees('Open since');
    await ada.page.evaluate('window.fetch = ask');
    await ada.tap('Try again');
    await ada.sees('With you since');
    await ada.seesNo('No answer yet');

    await ada.click('Snooze');
    await ada.click('Other …');
    await ada.page.waitForSelector('dialog[open] [name="count"]');
    await ada.page.evaluate(SUBMIT_WHEN_CHANGED);
    await bob.page.evaluate(snoozed(id));
    await ada.sees('snoozed by bob');
    await ada.submit();
    await ada.sees('snoozed by you');

    await ada.click('Snooze');
    const answers = await holdAnswers(ada.page, '/acknowledge');
    const earlier = await ada.page.evaluate(`document.querySelector('.alert-said').innerText`);
    await ada.click('2 h');
    await ada.page.waitForFunction(
      (earlierText) =>
        !document.body.innerText.includes(earlierText) && document.body.innerText.includes('opens again'),
      {},
      String(earlier),
    );
    await ada.page.waitForSelector('.alert-resolve:not([aria-disabled="true"])');
    await ada.page.keyboard.press('e');
    await ada.sees('Resolved by you');
    // Each answer that is taken gives the focus to what is said of the alert.
    const isTaken = () => ada.page.waitForFunction(`document.activeElement.matches('.alert-said')`);
    await isTaken();
    await ada.page.evaluate(KEEP_WHAT_IS_SAID);
    await answers.letGo();
    await isTaken();
    assert.equal(await ada.page.evaluate('said'), []);

    await ada.sees('Undo');
    await ada.show('/settings');
    await ada.click('Sign out');
    await ada.seesNo('Undo');
    await signIn(ada, url, team, team.bob);
    await ada.seesNo('Undo');
    assert.equal(ada.faults, []);
  });
}

/** Signed in, each in a browser of their own, with a channel `alerts` that insists. */
async function twoMembers({ browser, server, sandbox, team }: BrowserInTest, opened: Resources) {
  await team.join(team.bob);
  await team.addDevice(sandbox, { platform: 'android' });
  const token = sandbox.token({ platform: 'android' });
  const bobs = { workspace: team.slug, email: team.bob, platform: 'android', token, subscribe: ['alerts'] } as const;
  granted(await team.store.addDevice(bobs));
  granted(await team.store.createChannel({ workspace: team.slug, slug: 'leads' }));
  const insist = { repeat: 120, until: 3_600, escalate: { after: 600, channel: 'leads' } };
  granted(await team.store.updateChannel({ workspace: team.slug, slug: 'alerts', insist }));
  const bob = await openApp(browser, opened);
  await signIn(bob, server.url, team, team.bob);
  // In front of bob's: a browser draws what is behind seldom, and a click waits for that.
  const ada = await openApp(browser, opened);
  await signIn(ada, server.url, team);
  return { team, ada, bob, url: server.url };
}

/** Returns the places of the buttons. */
async function placesOf({ page }: AppPage) {
  const places = await page.$$eval('.alert-actions > button', (all) =>
    all
      .map((element) => element.getBoundingClientRect())
      .map(({ left, top, width, height }) => ({ left, top, width, height })),
  );
  assert.is(places.length, 5);
  return places;
}
