import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeText } from '../../src/values/text.ts';

const LATIN = Buffer.from('Gr\xfc\xdfe \x80', 'latin1');
const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();

test('bytes are decoded as declared, else as UTF-8, else as Windows-1252', () => {
  for (const [bytes, type, text] of [
    [LATIN, 'text/plain; charset=ISO-8859-1', 'Grüße €'],
    [LATIN, "application/json;charset='windows-1252'", 'Grüße €'],
    [LATIN, '', 'Grüße €'],
    [LATIN, 'text/plain; charset=klingon', 'Grüße €'],
    [LATIN, 'text/plain; charset="utf-8"', 'Gr\ufffd\ufffde \ufffd'],
    [Buffer.from('Grüße 👩‍🚀'), 'text/plain', 'Grüße 👩‍🚀'],
    [Buffer.from('Grüße', 'utf16le'), 'text/plain; Charset = UTF-16', 'Grüße'],
    [swapped('Grüße'), 'text/plain; charset=utf-16be', 'Grüße'],
    [swapped('\ufeffGrüße'), 'text/plain; charset=utf-16', 'Grüße'],
    [Buffer.from('\ufeffGrüße', 'utf16le'), '', 'Grüße'],
    [Buffer.from([0x83, 0x65, 0x83, 0x58]), 'text/plain; charset=Shift_JIS', 'テス'],
    [Buffer.from(''), '', ''],
  ] as const) {
    assert.is(decodeText(bytes, type), text, `${type} ${text}`);
  }
});

test('a character that is cut at either end does not make another charset of the text', () => {
  const bytes = Buffer.from('🙂ü🙂');
  for (const from of [1, 2, 3]) {
    for (const left of [1, 2, 3]) assert.match(decodeText(bytes.subarray(from, -left)), /^\ufffd{1,3}ü\ufffd{1,3}$/);
  }
});

test.run();
