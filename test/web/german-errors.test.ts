import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { API_ERRORS, type ApiErrorCode } from '../../src/contract/errors.ts';
import { fieldCheck } from '../../src/contract/fields.ts';
import { changeWindow, planWindow, windowTextProblem } from '../../src/contract/maintenance.ts';
import { NO_TIMEZONE } from '../../src/contract/quiet-hours.ts';
import { explain, explanations } from '../../src/providers/explain.ts';
import * as refusals from '../../src/store/refusals.ts';
import { explained } from '../../src/web/texts/de/explained.ts';
import { inGerman } from '../../src/web/texts/de/server/errors.ts';
import { NOW_MS } from '../support/store.ts';

/** Errors that only programs with a key meet, or that the app words itself. */
const NOT_SHOWN: readonly ApiErrorCode[] = [
  'unauthenticated',
  'key_revoked',
  'key_expired',
  'missing_scope',
  'https_required',
  'key_not_bound',
  'workspace_inactive',
  'unsupported_encoding',
  'rate_limited',
  'connection_throttled',
  'not_signed_in',
  'unavailable',
  'overloaded',
  'wrong_device_token',
  'report_throttled',
];

test('Each error of the API that a person can meet has its German', () => {
  const shown = Object.entries(API_ERRORS).filter(([code]) => !NOT_SHOWN.includes(code as ApiErrorCode));
  const unnamed = shown.filter(([, { message }]) => inGerman(message) === message);
  assert.equal(unnamed, []);
});

test('Refusals of the store keep their names in German', () => {
  const taken = refusals.channelExists('backups', 'acme');
  assert.is(inGerman(taken.message), 'Der Arbeitsbereich „acme“ hat schon einen Kanal „backups“.');
  const last = refusals.lastOwner();
  assert.match(inGerman(last.message), 'Das ist der letzte Inhaber');
});

test('The faults of a form are shown for each field, with the number of further faults', () => {
  const found = fieldCheck('channel-request')({ name: 'n'.repeat(300) });
  const sentences = Object.values(found?.errors ?? {}).flat();
  assert.equal(sentences.map(inGerman), ['Diese Angabe fehlt: slug.', 'Höchstens 255 Zeichen.']);
  assert.is(inGerman(found?.message ?? ''), 'Diese Angabe fehlt: slug. (und 1 weitere)');
});

test('The faults of quiet hours are shown for each field', () => {
  const wrong = { from: '25:00', to: '7', timezone: 'Europe/Berlin', days: [] };
  const found = fieldCheck('channel-change')({ quiet: wrong });
  const sentences = Object.values(found?.errors ?? {}).flat();
  assert.equal(sentences.map(inGerman), [
    'Muss eine Uhrzeit sein, etwa 22:00.',
    'Muss eine Uhrzeit sein, etwa 07:00.',
    'Mindestens ein Tag muss gewählt sein.',
  ]);
  assert.is(inGerman(NO_TIMEZONE.message), 'Muss eine Zeitzone sein, etwa Europe/Berlin.');
});

test('The faults of a maintenance window have their German', () => {
  const nightly = { cron: '0 3 * * *', for: 3_600 };
  const [from, until] = [NOW_MS + 3_600_000, NOW_MS + 7_200_000];
  const once = (fromMs: number, untilMs: number) => ({ fromMs, untilMs, recurrence: null });
  const faults = [
    planWindow({ fromMs: NOW_MS - 86_400_000, for: 60 }, NOW_MS),
    planWindow({ fromMs: NOW_MS + 40 * 86_400_000, for: 60 }, NOW_MS),
    planWindow({ fromMs: from, untilMs: from }, NOW_MS),
    planWindow({ untilMs: NOW_MS + 9 * 86_400_000 }, NOW_MS),
    planWindow({ ...nightly, cron: 'daily' }, NOW_MS),
    planWindow({ ...nightly, cron: '0 3 30 2 *' }, NOW_MS),
    planWindow({ ...nightly, timezone: 'Mars/Olympus' }, NOW_MS),
    changeWindow(once(NOW_MS, until), { fromMs: from }, NOW_MS),
    changeWindow(once(NOW_MS, until), { untilMs: NOW_MS + 9 * 86_400_000 }, NOW_MS),
    changeWindow(
      { ...once(NOW_MS, until), recurrence: { cron: '0 3 * * *', timezone: 'UTC', lengthS: 60 } },
      { untilMs: NOW_MS + 2 * 86_400_000 },
      NOW_MS,
    ),
    changeWindow(
      { ...once(from, until), recurrence: { cron: '0 3 * * *', timezone: 'UTC', lengthS: 60 } },
      { untilMs: until },
      NOW_MS,
    ),
    windowTextProblem({ note: 'n'.repeat(501) }),
    refusals.tooManyWindows('alerts', { slug: 'acme' } as never, 20),
  ];
  const sentences = faults.map((fault) => (fault !== null && 'message' in fault ? fault.message : null));
  assert.not.ok(sentences.includes(null));
  assert.equal(
    sentences.filter((sentence) => sentence === null || inGerman(sentence) === sentence),
    [],
  );
});

test('The meaning and the remedy of each reason of a failed push have their German', () => {
  const texts = [...explanations(), ...explain('http_418')].flatMap(({ means, remedy }) => [means, remedy]);
  assert.ok(texts.length > 200, String(texts.length));
  const english = /\b(?:the|and|is|not|it|to|nothing)\b/i;
  assert.equal(
    texts.filter((text) => explained(text) === text || english.test(explained(text))),
    [],
  );
});

test('A sentence that is not known stays as it is', () => {
  assert.is(inGerman('A sentence of a server to come.'), 'A sentence of a server to come.');
  assert.is(explained('A sentence of a server to come.'), 'A sentence of a server to come.');
});

test.run();
