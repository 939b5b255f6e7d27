import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { handoverNotices, leftNotices, movedNotices } from '../../../src/contract/on-call/notices.ts';
import { packagePath } from '../../../src/process/package.ts';
import { texts as german } from '../../../src/web/texts/de/worker.ts';
import { texts as words } from '../../../src/web/texts/worker.ts';
import { channelOf, notificationOf, placeName, type Words } from '../../../src/web/worker/notification.ts';

test('A push shows the texts of its payload, and a tap follows its link', () => {
  const schema = JSON.parse(readFileSync(packagePath('schemas', 'payload-webpush.json'), 'utf8'));
  for (const payload of schema.examples) {
    const { title, options } = notificationOf(JSON.stringify(payload), words);
    const { title: declared, body, tag, navigate, data } = payload.notification;
    assert.is(title, declared);
    assert.equal([options.tag, options.data.navigate], [tag, navigate]);
    assert.ok(options.body.startsWith(body === title ? data.channel : body), options.body);
    assert.equal(options.data, { ...data, navigate });
  }
});

test('A text that only repeats the title is not shown a second time', () => {
  const { title, options } = notificationOf('{"notification": {"title": "Disk full", "body": "Disk full"}}', words);
  assert.equal([title, options.body], ['Disk full', '']);
});

test('It shows its level as its icon, and its channel and urgency below the text, unless it comes quietly', () => {
  const shown = (data: object, body = 'db-1') =>
    notificationOf(JSON.stringify({ notification: { title: 'Disk full', body, data } }), words).options;
  const urgent = { channel: 'payments', level: 'error', delivery_urgency: 'time_sensitive' };
  assert.is(shown(urgent).body, 'db-1\npayments · urgent');
  assert.is(shown(urgent, 'Disk full').body, 'payments · urgent');
  assert.is(shown({ ...urgent, quiet: true }).body, 'db-1\npayments');
  assert.is(shown({ ...urgent, delivery_urgency: 'standard' }).body, 'db-1\npayments');
  const payload = { notification: { title: 'Disk full', body: 'db-1', data: { ...urgent, workspace: 'acme' } } };
  assert.is(notificationOf(JSON.stringify(payload), words, 'Payments').options.body, 'db-1\nPayments · urgent');
  assert.equal(channelOf(JSON.stringify(payload)), { workspace: 'acme', channel: 'payments' });
  for (const text of ['', 'null', '{"notification": {"data": {"channel": 1}}}']) assert.is(channelOf(text), null);
  assert.equal([shown(urgent).icon, shown(urgent).badge], ['/level-error.png', '/badge.png']);
  assert.is(shown({ level: '../x' }).icon, '/icon-192.png');
  for (const name of ['level-info', 'level-success', 'level-warning', 'level-error', 'badge']) {
    assert.ok(existsSync(packagePath('src', 'web', 'public', `${name}.png`)), name);
  }
});

test('A push that cannot be read still shows that there is an event, and leads to the inbox', () => {
  for (const text of ['', 'no JSON', 'null', '[]', '{"notification": "text"}', '{"notification": {"title": 1}}']) {
    const { title, options } = notificationOf(text, words);
    assert.is(title, 'New event', text);
    assert.is(options.data.navigate, '/');
  }
});

test("The worker's own words are in the language of the app, and so are the buttons that the server names", () => {
  const actions = [
    { action: 'acknowledge', title: 'Acknowledge' },
    { action: 'later', title: 'Of a server to come' },
  ];
  const payload = { notification: { title: 'Disk full', actions } };
  const { options } = notificationOf(JSON.stringify(payload), german as Words);
  assert.equal(options.actions, [{ action: 'acknowledge', title: 'Übernehmen' }, actions[1]]);
  assert.is(notificationOf('no JSON', german as Words).title, 'Neues Ereignis');
});

test("The server's words on alerts are in the language of the app, and texts of senders stay as they are", () => {
  const shown = (title: string, body: string, data: object) => {
    const shown = notificationOf(JSON.stringify({ notification: { title, body, data } }), german as Words);
    return [shown.title, shown.options.body];
  };
  const bundle = { alert_id: 'evt_1', alert_state: 'open', open_alerts: 12 };
  assert.equal(shown('12 open alerts', 'Disk full\nNo space', bundle), ['12 offene Alarme', 'Disk full\nNo space']);
  const many = { ...bundle, open_alerts: 500 };
  assert.is(shown('500+ open alerts', '', many)[0], '500+ offene Alarme');
  assert.is(shown('Maintenance over: 12 alerts open', '', bundle)[0], 'Wartung vorbei, offene Alarme: 12');
  const quiet = { ...bundle, quiet: true };
  assert.equal(shown('No open alerts', 'No open alerts', quiet), ['Keine offenen Alarme', '']);
  const taken = { alert_id: 'evt_1', alert_state: 'acknowledged', quiet: true };
  assert.equal(shown('Disk full', 'Ada has it.', taken), ['Disk full', 'Ada hat übernommen.']);
  assert.equal(shown('2 alerts', 'Ada has them.', { ...taken, open_alerts: 2 }), ['2 Alarme', 'Ada hat übernommen.']);
  const expired = { ...taken, alert_state: 'expired' };
  const text = 'It has expired: no one has acknowledged it.';
  assert.equal(shown('No open alerts', text, expired), ['No open alerts', 'Abgelaufen: niemand hat übernommen.']);
  const posted = { alert_id: 'evt_1', alert_state: 'open', quiet: true };
  assert.equal(shown('1 open alert', 'Ada has it.', posted), ['1 open alert', 'Ada has it.']);
  assert.equal(shown('Ada has it.', 'Ada has it.', {}), ['Ada has it.', '']);
});

test('Each notice of the server about an alert has its German', () => {
  const folder = packagePath('src', 'store', 'handlers', 'alerts');
  const notices = readdirSync(folder).flatMap((file) => {
    const source = readFileSync(join(folder, file), 'utf8');
    const constants = new Map(
      [...source.matchAll(/^const ([A-Z_]+) = '([^']+)';$/gm)].map(([, name, text]) => [name, text]),
    );
    const calls = source.matchAll(
      /\bnotice(?:Of|To|Elsewhere)?\((?:[^,()]+, )+?(?:`([^`]+)`|'([^']+)'|([A-Z_]{3,})),/g,
    );
    return [...calls].map(([, template, text, name]) => template ?? text ?? constants.get(name) ?? String(name));
  });
  assert.ok(notices.length > 5, String(notices.length));
  for (const notice of notices) {
    const shown = (german as Words).ofServer(notice.replaceAll(/\$\{[^}]+\}/g, 'Ada'));
    assert.not.match(shown, /\b(?:has|it|is|its)\b/i, notice);
  }
});

const ROTA = { name: 'Payments', timezone: 'Europe/Berlin' } as const;
const [ADA, BOB] = [1, 2];
const NOBODY = 'Nobody';
const nameOf = (id: number | null) => (id === null ? NOBODY : id === ADA ? 'Ada' : 'Bob');
/** A Saturday. */
const NOW_MS = Date.UTC(2026, 10, 21, 9, 30);
const DAY_MS = 86_400_000;

/** Returns the title and the text of a push that leads to the page of rotas, by default. */
function germanOf({ title, description }: { title: string; description: string }, path = '/on-call') {
  const notification = { title, body: description, navigate: `https://push.example.com${path}`, data: { quiet: true } };
  const shown = notificationOf(JSON.stringify({ notification }), german as Words);
  return [shown.title, ...String(shown.options.body).split('\n')];
}

test('A push about a handover is in the language of the app', () => {
  const handover = { off: BOB, on: ADA, fromMs: NOW_MS, untilMs: NOW_MS + 2 * DAY_MS, override: null };
  const [on, off] = handoverNotices(ROTA, handover, 2, nameOf, NOW_MS);
  assert.equal(on && germanOf(on), [
    'Sie haben Bereitschaft für Payments bis Mo 10:30 (Berlin), offene Alarme: 2',
    'Vorher hatte Bob Bereitschaft.',
  ]);
  assert.equal(off && germanOf(off), [
    'Ihre Bereitschaft für Payments ist beendet',
    'Ada hat Bereitschaft bis Mo 10:30 (Berlin).',
  ]);
  assert.equal(on && germanOf(on, '/events/evt_1')[0], on?.title, 'a sender wrote it');
});

test('A push about a changed rota is in the language of the app', () => {
  const moved = [
    { fromMs: NOW_MS + 10 * DAY_MS, untilMs: NOW_MS + 11 * DAY_MS, before: BOB, after: ADA },
    { fromMs: NOW_MS + 12 * DAY_MS, untilMs: NOW_MS + 40 * DAY_MS, before: ADA, after: null },
  ];
  const [toBob, toAda] = movedNotices(ROTA, moved, { author: null, by: 'Eve' }, nameOf, NOW_MS);
  assert.equal(toBob && germanOf(toBob), [
    'Ihre Bereitschaft für Payments hat sich geändert',
    'Di 1. Dez 10:30 bis Mi 2. Dez 10:30 (Berlin): Ada statt Ihnen',
    'Geändert von Eve.',
  ]);
  assert.equal(toAda && germanOf(toAda), [
    'Ihre Bereitschaft für Payments hat sich geändert',
    'Di 1. Dez 10:30 bis Mi 2. Dez 10:30 (Berlin): Sie statt Bob',
    'Ab Do 3. Dez 10:30 (Berlin): niemand statt Ihnen',
    'Geändert von Eve.',
  ]);
  const [left] = leftNotices(ROTA, 'Bob', [ADA], NOBODY);
  assert.equal(left && germanOf(left), [
    'Bob ist nicht mehr im Bereitschaftsplan Payments',
    'Bob hat den Arbeitsbereich verlassen. Jetzt hat niemand Bereitschaft.',
  ]);
});

const PLACE = { workspace: 'acme', channel: 'db' };
const named = (kept: Readonly<Record<string, unknown>>) => placeName(PLACE, async (address) => kept[address]);

test('A notification names its channel as people do, and its workspace if they have several', async () => {
  const channels = { '/channel-names/acme': { db: 'Databases' } };
  const two = { '/workspace-names': { acme: 'Acme', beta: 'Beta' } };
  assert.is(await named({}), null);
  assert.is(await named(channels), 'Databases');
  assert.is(await named({ ...channels, '/workspace-names': { acme: 'Acme' } }), 'Databases');
  assert.is(await named({ ...channels, ...two }), 'Databases · Acme');
  assert.is(await named(two), 'db · Acme');
  assert.is(await named({ '/workspace-names': { beta: 'Beta', gamma: 'Gamma' } }), 'db · acme');
  assert.is(await named({ '/channel-names/acme': { db: 1 }, '/workspace-names': 'text' }), null);
});

test.run();
