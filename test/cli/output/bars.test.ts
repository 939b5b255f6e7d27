import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bar, shortDuration, sparkline } from '../../../src/cli/output/stats-report.ts';

test('A bar fills its width for the largest value, and shows the smallest', () => {
  assert.is(bar(10, 10, 4), '████');
  assert.is(bar(5, 10, 4), '██');
  assert.is(bar(3, 16, 1), '▎');
  assert.is(bar(1, 1_000_000, 4), '▏');
  assert.is(bar(0, 10, 4), '');
  assert.is(bar(0, 0, 4), '');
});

test('A sparkline has one column a value, blank if there is nothing', () => {
  assert.is(sparkline([0, 1, 4, 8]), ' ▁▄█');
  assert.is(sparkline([0, 0]), '  ');
  assert.is(sparkline([]), '');
});

test('A duration is shown in the unit in which it is short', () => {
  const shown = [45, 1_234, 59_000, 300_000, 10_800_000, 259_200_000].map(shortDuration);
  assert.equal(shown, ['45ms', '1.2s', '59s', '5m', '3h', '3d']);
});

test.run();
