import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { localeOf } from '../../../src/web/format/locale.ts';

test('Dates keep the language of the texts, and take the manner of the region', () => {
  assert.is(localeOf('en', 'de'), 'en-DE', 'the most likely one of a language');
  assert.is(localeOf('en', 'de-AT'), 'en-AT');
  assert.is(localeOf('en', 'und-GB'), 'en-GB', 'as it is chosen in the settings');
  assert.is(localeOf('en', 'not a locale'), 'en');
});

test('A language whose region no one knows leaves that of the texts', () => {
  assert.is(localeOf('en', 'tlh'), 'en');
});

test.run();
