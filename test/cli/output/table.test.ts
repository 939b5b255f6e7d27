import stringWidth from 'string-width';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandContext } from '../../../src/cli/context.ts';
import { fields, table } from '../../../src/cli/output/table.ts';
import { assertEach } from '../../support/assert-each.ts';

const JAPANESE = '夜間監視チーム';
/** `é` of two code points, as macOS writes file names. */
const COMBINING = 'Cafe\u0301';
const EMOJI = '👍🏽 home';

test('Columns stay in line behind wide characters, combining marks and emoji', () => {
  const rows = ['builds', JAPANESE, COMBINING, EMOJI, '🇩🇪', '❤️'].map((name) => [name, 'active']);
  const lines = table(aContext(), ['NAME', 'STATUS'], rows, '').split('\n');
  assertEach(
    lines.slice(1).map((line) => stringWidth(line.slice(0, line.indexOf('active')))),
    (width) => width,
    rows.map(() => 16),
  );
});

test('No line of a table or of fields is wider than 80 columns, in any script', () => {
  const names = ['a longer name of plain words ', JAPANESE, `${COMBINING} `, `${EMOJI} `, 'ทีมเฝ้าระวัง'];
  for (const name of names.map((part) => part.repeat(30).slice(0, 255).trim())) {
    const shown = [
      table(aContext({ columns: 80 }), ['SLUG', 'NAME', 'STATUS'], [['ops', name, 'active']], ''),
      table(aContext({ columns: 80 }), ['SLUG', 'NAME'], [['ops', name]], ''),
      fields(aContext({ columns: 80 }), { slug: 'ops', name }),
    ].join('\n');
    assert.equal(
      shown.split('\n').filter((line) => stringWidth(line) > 80),
      [],
    );
    assert.is(shown.replaceAll(/\s/g, '').split(name.normalize().replaceAll(' ', '')).length, 4, shown);
  }
});

test('A terminal that does not say how wide it is has 80 columns, and a pipe has no edge', () => {
  const rows = [['ops', 'word '.repeat(40).trim()]];
  const longest = (stdout: Partial<NodeJS.WriteStream>) =>
    Math.max(
      ...table(aContext(stdout), ['SLUG', 'NAME'], rows, '')
        .split('\n')
        .map((line) => stringWidth(line)),
    );
  assert.ok(longest({ isTTY: true, columns: 0 }) <= 80);
  assert.is(longest({}), 'SLUG  '.length + 199);
});

test('A text is broken between its words, and a word that is too long keeps a line to be copied', () => {
  const last = (text: string, columns?: number) =>
    fields(aContext(columns === undefined ? {} : { columns }), { why: text }).split('\n');
  assert.equal(last('its pushes wait: connect_failed', 21), ['why  its pushes wait:', '     connect_failed']);
  assert.equal(last('one incomprehensible two', 17), ['why  one', '     incomprehensible', '     two']);
  assert.equal(last('as it  stands'), ['why  as it  stands']);
});

test.run();

function aContext(stdout: Partial<NodeJS.WriteStream> = {}): CommandContext {
  return { process: { stdout }, heading: (text: string) => text } as unknown as CommandContext;
}
