import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isReached, type Line, ratio, rawOf, rounded, tableOf } from './lines.ts';

const LINE: Line = {
  what: 'ingest',
  against: 'bare',
  unit: '×',
  want: { atLeast: 0.6 },
  values: [0.5, 0.6, 0.7],
  raw: { ours: [5, 6, 7] },
};

test('The median decides whether a line is reached, and the limit itself is enough', () => {
  assert.ok(isReached(LINE));
  assert.not(isReached({ ...LINE, values: [0.5, 0.59, 9] }));
  assert.ok(isReached({ ...LINE, want: { atMost: 0.6 } }));
  assert.not(isReached({ ...LINE, want: { atMost: 0.5 } }));
});

test('A row says what was wanted and what was reached', () => {
  assert.match(tableOf([LINE]), '| ingest | bare | ≥ 0.6 × | 0.60 (0.55–0.65) | yes |');
});

test('The row of a ratio says what both sides reached', () => {
  const line = ratio('ingest', 'requests/s', [50, 60, 70], ['bare', [100, 100, 100]]);
  assert.match(tableOf([line]), '| ingest | bare | | 0.60 (0.55–0.65) ×: 60.0 and 100 requests/s | |');
});

test('A line without a limit is there for information, and never missed', () => {
  const { want, ...informative } = LINE;
  assert.ok(isReached(informative));
  assert.match(tableOf([informative]), '| ingest | bare | | 0.60 (0.55–0.65) × | |');
});

test('A line that could not be measured says why', () => {
  assert.match(
    tableOf([{ what: 'slow disk', because: 'there is no C compiler' }]),
    'not measured: there is no C compiler',
  );
});

test('The raw slices stand below the name of their line', () => {
  assert.is(rawOf(LINE), 'ingest\n  ours: 5.00 6.00 7.00\n  ×: 0.50 0.60 0.70');
});

test('Numbers are shown with the digits that count', () => {
  assert.equal([0.123, 1.999, 12.34, 1234.5].map(rounded), ['0.12', '2.00', '12.3', '1235']);
});

test.run();
