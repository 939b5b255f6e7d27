import { styleText } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plain, printable, printableJson, printableStyled } from '../../../src/cli/output/printable.ts';

test('printed text keeps its lines and our own styles, and nothing else that a terminal obeys', () => {
  const heading = styleText('bold', 'NAME', { validateStream: false });
  assert.is(printableStyled(`${heading}\nÄnne 🚀 日本`), `${heading}\nÄnne 🚀 日本`);
  assert.is(printable(`${heading}\nÄnne 🚀 日本`), 'NAME\nÄnne 🚀 日本');
  assert.is(printable('a\u001b[2Jb\u001b[8mc\rd\te\u009b31mf'), 'abc d ef');
  assert.is(printable('a\u202eb\u2066c\u2028d\u200be\ud800f'), 'a b c d e f');
  assert.is(printableStyled('\u001b\u001b[1m[2J'), ' \u001b[1m[2J', 'what a style stands in is no escape either');
});

test('text on one line has no style and no line end', () => {
  assert.is(plain('\u001b[1ma\u001b[22m\nb\u2029c'), 'a b c');
});

test('JSON reads back as it was, however it is escaped', () => {
  const document = { 'k\u202ey': 'a\u001b[2J\u009b\u2028\u200b\u{e0001}\u007f"\\ä🚀' };
  const text = printableJson(document);
  assert.not.match(text, /[\p{C}\p{Zl}\p{Zp}]/u);
  assert.match(text, 'ä🚀');
  assert.equal(JSON.parse(text), document);
});

test.run();
