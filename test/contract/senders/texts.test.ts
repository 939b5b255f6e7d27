import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fitTexts, shorten, textsOf } from '../../../src/contract/senders/texts.ts';

const PLAIN = { level: 'info', delivery_urgency: 'standard' } as const;

test('a headline and a text are title and description', () => {
  assert.equal(textsOf('Disk full', '2 GB left'), { title: 'Disk full', description: '2 GB left' });
  assert.equal(textsOf('Disk full', ' \n'), { title: 'Disk full' });
});

test('without a headline the first line is the title, and the rest the description', () => {
  assert.equal(textsOf('', 'Disk full'), { title: 'Disk full' });
  assert.equal(textsOf(' ', '\n\nDisk full \n\n2 GB left\non db-1\n'), {
    title: 'Disk full',
    description: '2 GB left\non db-1',
  });
});

test('a first line that is too long for a title stands in the description as a whole', () => {
  const line = 'x'.repeat(256);
  assert.equal(textsOf('', line), { title: line, description: line });
  assert.equal(textsOf('', `${line}\nmore`), { title: line, description: `${line}\nmore` });
});

test('invisible characters make no text', () => {
  for (const [headline, text] of [
    ['', ''],
    [' \n', '\t'],
    ['\u0000\u200b', '\ufeff'],
  ]) {
    assert.is(textsOf(headline ?? '', text ?? ''), null);
  }
});

test('half of a surrogate pair is replaced', () => {
  assert.equal(textsOf('a\ud83d', '\ude00b'), { title: 'a\ufffd', description: '\ufffdb' });
});

test('texts are shortened by code points, with an ellipsis as the last one', () => {
  assert.is(shorten('😀'.repeat(3), 3), '😀'.repeat(3));
  assert.is(shorten('😀'.repeat(4), 3), '😀😀…');
  assert.is(shorten('abcd', 4), 'abcd');
  assert.is(shorten('abcde', 4), 'abc…');
});

test('no emoji of several code points is cut in half, and no flag', () => {
  for (const [text, max, short] of [
    ['👩‍👩‍👧abc', 4, '…'],
    ['👩‍👩‍👧abc', 6, '👩‍👩‍👧…'],
    ['a👍🏽bcd', 3, 'a…'],
    ['🇩🇪🇫🇷🇮🇹', 4, '🇩🇪…'],
    ['e\u0301e\u0301', 3, 'e\u0301…'],
    [`a${'\u0301'.repeat(300)}`, 200, `a${'\u0301'.repeat(198)}…`],
  ] as const) {
    assert.is(shorten(text, max), short);
  }
});

test('a mark at the beginning that says in which direction a text is read stays', () => {
  assert.equal(textsOf('\u200f\u0634\u0628\u0643\u0629', ' \ufeff\u202bx'), {
    title: '\u200f\u0634\u0628\u0643\u0629',
    description: '\u202bx',
  });
  assert.is(textsOf('\u200f', '\u202a '), null);
});

test('values within the bounds of an event stay, and longer values are shortened and named', () => {
  const most = { title: '😀'.repeat(255), description: 'é'.repeat(1_000), collapse_key: 'k'.repeat(255), ...PLAIN };
  assert.equal(fitTexts(most), { fitted: most, shortened: [] });
  const { fitted, shortened } = fitTexts({ ...most, title: `${most.title}!`, description: `${most.description}!` });
  assert.is(fitted.title, `${'😀'.repeat(254)}…`);
  assert.is(fitted.description, `${'é'.repeat(999)}…`);
  assert.equal(shortened, ['title', 'description']);
});

test('a hash replaces a collapse key that is too long, and equal keys have equal hashes', () => {
  const keyOf = (collapse_key: string) => fitTexts({ title: 'x', collapse_key, ...PLAIN }).fitted.collapse_key;
  assert.match(String(keyOf('k'.repeat(256))), /^[0-9a-f]{64}$/);
  assert.is(keyOf('k'.repeat(256)), keyOf('k'.repeat(256)));
  assert.is.not(keyOf('k'.repeat(256)), keyOf('k'.repeat(257)));
});

test.run();
