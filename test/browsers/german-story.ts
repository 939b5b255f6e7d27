import * as assert from 'uvu/assert';
import { settled, type Team } from '../support/server.ts';
import { codeFor } from '../support/sign-in.ts';
import { assertForEverybody, tooWideAt } from './accessibility.ts';
import { type AppPage, openApp, openSignedIn, RECONNECTS_WITHIN_MS, signIn } from './app-page.ts';
import { goOffline } from './offline.ts';
import type { BrowserTest } from './story.ts';

const NARROW = 320;
const WIDE = 1_000;
/** Texts of each complete page, `/events/{event}` aside. */
const pagesOf = (team: Team) => [
  ['/', 'Alle gelesen'],
  ['/?level=warning', 'Nichts gefunden'],
  ['/alerts', 'Keine offenen Alarme'],
  ['/channels', 'auf allen Geräten'],
  ['/devices', 'Benachrichtigungen in diesem Browser'],
  ['/settings', 'Angemeldet auf'],
  ['/nowhere-that-is', 'Hier ist nichts'],
  [`/w/${team.slug}`, 'Alles läuft'],
  [`/w/${team.slug}/events`, 'Disk full'],
  [`/w/${team.slug}/send`, 'Dringlichkeit'],
  [`/w/${team.slug}/channels`, 'Kanal anlegen'],
  [`/w/${team.slug}/heartbeats`, 'Heartbeats'],
  [`/w/${team.slug}/keys`, 'Schlüssel ausstellen'],
  [`/w/${team.slug}/members`, 'Einladen'],
  [`/w/${team.slug}/devices`, team.owner],
  [`/w/${team.slug}/audit`, 'Protokoll'],
];

/** The app in another language than the first one. */
export function germanStory(test: BrowserTest): void {
  test('The language that is chosen in the settings holds after a reload, without a network and for the next sign-in', async (parts, opened) => {
    const { server, sandbox, team } = parts;
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Disk full' });
    const app = await openSignedIn(parts, opened);
    await app.page.waitForFunction('navigator.serviceWorker.controller !== null');
    await chooseGerman(app);
    await app.page.reload();
    await app.sees('Angemeldet auf');
    assert.is(await app.page.evaluate('document.documentElement.lang'), 'de');

    await app.page.waitForFunction(`caches.match('/').then((page) => page?.headers.get('Content-Language') === 'de')`);
    const goOnline = await goOffline(app.page);
    await app.sees('Sie sind offline.');
    await app.page.reload();
    await app.sees('Sie sind offline.');
    await goOnline();
    await app.seesNo('Sie sind offline.', RECONNECTS_WITHIN_MS);

    await app.click('Abmelden');
    await app.sees('Mit einem Passwort');
    await app.page.goto(`${server.url}/#pair=${await codeFor(team, team.owner)}`);
    await app.click('Anmelden');
    await app.click('Zum Eingang');
    await app.sees('Disk full');
    await app.click('Einstellungen', 'link');
    await app.click('English', 'radio');
    await app.sees('Where you are signed in');
    assert.equal(app.faults, []);
  });

  test('Each page is there in German, can be used by all, and fits a narrow phone', async ({
    browser,
    server,
    sandbox,
    team,
  }, opened) => {
    await team.addDevice(sandbox, { platform: 'android' });
    await team.issueKey({ name: 'ci' });
    await team.post({ title: 'Deploy finished', level: 'success', event_type: 'deploy.done' });
    const { event } = (await team.post({ title: 'Disk full', level: 'error', delivery_urgency: 'time_sensitive' }))
      .body;
    await settled(team, event.public_id);
    const app = await openApp(browser, opened);
    await app.page.goto(server.url);
    await app.sees('With a password');
    await assertForEverybody(app.page, '/ (signed out)');
    await signIn(app, server.url, team);
    await chooseGerman(app);
    const ofEvent = [
      [`/events/${event.public_id}`, 'Empfangen'],
      [`/w/${team.slug}/events/${event.public_id}`, 'Ergebnis je Gerät'],
    ];
    for (const [path = '', text = ''] of [...pagesOf(team), ...ofEvent]) {
      await app.show(path);
      await app.sees(text);
      await app.page.waitForFunction(`document.querySelector('main h1') && !document.querySelector('.skeleton')`);
      await assertForEverybody(app.page, path);
      await app.page.evaluate(`for (const element of document.querySelectorAll('details')) element.open = true`);
      for (const width of [NARROW, WIDE]) assert.equal(await tooWideAt(app.page, width), [], path);
    }
    assert.equal(app.faults, []);
  });
}

async function chooseGerman(app: AppPage): Promise<void> {
  await app.click('Settings', 'link');
  await app.click('Deutsch', 'radio');
  await app.sees('Angemeldet auf');
}
