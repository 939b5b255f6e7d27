import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';

const WEB = packagePath('src', 'web');
/** Texts of the bar of a phone, which have a least size where six words are side by side. */
const BAR = '--bar-text';

test('Sizes of text and widths of layouts go by the font size that the user chose in the browser', () => {
  const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'));
  const lines = files.flatMap((file) =>
    readFileSync(join(WEB, file), 'utf8')
      .split('\n')
      .map((line) => [file, line]),
  );
  assert.ok(lines.length > 1_000, String(lines.length));
  const fixed = lines.filter(
    ([, line = '']) => /(font-size|font|@media|--small).*\dpx/.test(line) && !line.includes(BAR),
  );
  assert.equal(fixed, []);
});

test.run();
