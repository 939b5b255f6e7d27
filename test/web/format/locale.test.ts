import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { byName, localeOf } from '../../../src/web/format/locale.ts';

test('Dates keep the language of the texts, and take the manner of the region', () => {
  assert.is(localeOf('en', 'de'), 'en-DE', 'the most likely one of a language');
  assert.is(localeOf('en', 'de-AT'), 'en-AT');
  assert.is(localeOf('en', 'und-GB'), 'en-GB', 'as it is chosen in the settings');
  assert.is(localeOf('en', 'not a locale'), 'en');
});

test('A language whose region no one knows leaves that of the texts', () => {
  assert.is(localeOf('en', 'tlh'), 'en');
});

test('Names are in the order in which people count and spell, with any case and accents', () => {
  const names = ['service 10', 'Zebra', 'Service 9', 'Äpfel', 'Service 100', 'Service 2', 'banana'];
  assert.equal(names.sort(byName), ['Äpfel', 'banana', 'Service 2', 'Service 9', 'service 10', 'Service 100', 'Zebra']);
});

test.run();
