import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { PAGE, placesOf, withTables } from './page.ts';

const EXAMPLE =
  '# Page\n\n<!-- bench idle -->\n| old |\n\n<!-- end -->\n\n<!-- bench need -->\n| kept |\n\n<!-- end -->\n';
const MOST_LINES_OF_TEXT = 80;

test('A saved table replaces the one of its part, and the others stay', () => {
  const saved = withTables(EXAMPLE, new Map([['idle', '| new $& |']]));
  assert.is(
    saved,
    EXAMPLE.replace('| old |', () => '| new $& |'),
  );
  assert.equal(placesOf(saved), ['idle', 'need']);
});

test('The page of benchmarks has a place for each part that runs without being named', () => {
  const bench = readFileSync(packagePath('test/bench/bench.ts'), 'utf8');
  const [, named = ''] = /^const PARTS[^{]*\{(.*?)^\};/ms.exec(bench) ?? [];
  const parts = [...named.matchAll(/^ {2}'?([a-z-]+)'?[:,]/gm)].map(([, part]) => part ?? '');
  assert.ok(parts.length > 10);
  const places = placesOf(pageText());
  assert.equal(
    parts.filter((part) => part !== 'need' && !places.includes(part)),
    [],
  );
});

test('The page of benchmarks has at most 80 lines of text besides its tables', () => {
  const text = withTables(pageText(), new Map(placesOf(pageText()).map((part) => [part, ''])));
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^(?:\||<!--)/.test(line));
  assert.ok(lines.length <= MOST_LINES_OF_TEXT, `it has ${lines.length}`);
});

test.run();

function pageText(): string {
  return readFileSync(packagePath(PAGE), 'utf8');
}
