import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { linkedPieces } from '../../../src/web/format/links.ts';

/** The text, with each link in square brackets and what it leads to, where that is something else. */
function shown(text: string): string {
  return linkedPieces(text)
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      return piece.href === piece.text ? `[${piece.text}]` : `[${piece.text}|${piece.href}]`;
    })
    .join('');
}

test('Addresses of the web and of mail are links, without what belongs to the sentence around them', () => {
  for (const [text, expected] of [
    ['Disk full', 'Disk full'],
    ['See https://example.com/a?b=c#d.', 'See [https://example.com/a?b=c#d].'],
    ['(https://example.com/a), then http://b.example!', '([https://example.com/a]), then [http://b.example]!'],
    ['https://en.example/wiki/Disk_(storage)', '[https://en.example/wiki/Disk_(storage)]'],
    ['https://a.example\nhttps://b.example', '[https://a.example]\n[https://b.example]'],
    ['Ask ops+night@example.co.uk.', 'Ask [ops+night@example.co.uk|mailto:ops+night@example.co.uk].'],
    ['انظر https://example.com، الآن', 'انظر [https://example.com]، الآن'],
    ['"https://example.com"', '"[https://example.com]"'],
    ['', ''],
  ]) {
    assert.is(shown(String(text)), expected);
  }
});

test('No other scheme becomes a link, and neither does an invalid address', () => {
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://example.com',
    'https://',
    'http://[::1',
    'user@host',
    '@example.com',
    'https://bank@evil.example/',
    'https://bank.example@evil.example',
    'https://bank.example:443@evil.example/',
    'http://:x@evil.example/',
    'https://bank%2Eexample%40evil@evil.example/',
  ]) {
    assert.equal(linkedPieces(text), [text], text);
  }
});

test('A text of a thousand characters that looks like addresses is read at once', () => {
  for (const text of ['a.'.repeat(500), `${'a@'.repeat(500)}`, `a@${'b-'.repeat(500)}`, '('.repeat(1_000)]) {
    assert.is(shown(text).replaceAll(/[[\]]|\|[^\]]*/g, ''), text);
  }
});

test.run();
