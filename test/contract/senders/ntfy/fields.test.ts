import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeWords } from '../../../../src/contract/senders/ntfy/fields.ts';

/** The first ones from RFC 2047, section 8, and from ntfy's documentation. */
const WORDS = [
  ['=?ISO-8859-1?Q?a?=', 'a'],
  ['=?ISO-8859-1?Q?a?= b', 'a b'],
  ['=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=', 'ab'],
  ['=?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?= =?ISO-8859-1?Q?c?=', 'abc'],
  ['=?ISO-8859-1?Q?a_b?=', 'a b'],
  ['=?UTF-8?B?8J+HqfCfh6o=?=', '🇩🇪'],
  ['=?utf-8?q?Stra=C3=9Fe?= 7', 'Straße 7'],
  ['=?UTF-8*de?Q?=C3=BC?=', 'ü'],
] as const;

test('encoded words are read, and the blanks between two of them mean nothing', () => {
  for (const [field, text] of WORDS) assert.is(decodeWords(field), text);
});

test('a text that is no encoded word, or of an unknown character set, stays as it is', () => {
  for (const field of ['', 'plain', '=?', '=?UTF-8?X?a?=', '=?klingon?Q?a?=', '=? UTF-8?Q?a?=']) {
    assert.is(decodeWords(field), field);
  }
});

test('a field has at most ten charsets, whether they exist or not', () => {
  const unknown = Array.from({ length: 9 }, (_, n) => `=?x${n}?Q?a?=`);
  assert.is(
    decodeWords([...unknown, '=?UTF-8?Q?=C3=BC?=', '=?ISO-8859-1?Q?=FC?='].join(' | ')),
    [...unknown, 'ü', '=?ISO-8859-1?Q?=FC?='].join(' | '),
  );
});

test('a field of many unfinished words is read in no time', () => {
  const field = '=?UTF-8?Q?a?= '.repeat(1_000) + '=?UTF-8?Q?'.repeat(1_000);
  assert.ok(decodeWords(field).startsWith('aaaa'));
});

test.run();
