import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { quantile, ratios, spreadOf } from './statistics.ts';

test('The median of an odd sample is its middle value in any order', () => {
  assert.is(quantile([9, 1, 5], 0.5), 5);
});

test('The median of an even sample lies halfway between its two middle values', () => {
  assert.is(quantile([1, 2, 10, 20], 0.5), 6);
});

test('Quartiles lie on the line between their neighbours', () => {
  assert.equal(spreadOf([1, 2, 3, 4]), { low: 1.75, median: 2.5, high: 3.25 });
  assert.equal(spreadOf([1, 2, 3, 4, 5, 6, 7, 8, 9]), { low: 3, median: 5, high: 7 });
});

test('Numbers are sorted as numbers', () => {
  assert.is(quantile([10, 9, 100], 1), 100);
});

test('A sample of one value is its own quantile', () => {
  assert.equal(spreadOf([7]), { low: 7, median: 7, high: 7 });
});

test('The 99th percentile of a hundred values is almost the largest', () => {
  const values = Array.from({ length: 101 }, (_, index) => index);
  assert.is(quantile(values, 0.99), 99);
});

test('The sample stays as it was', () => {
  const values = [3, 1, 2];
  quantile(values, 0.5);
  assert.equal(values, [3, 1, 2]);
});

test('Nothing has no quantile', () => {
  assert.throws(() => quantile([], 0.5), /of nothing/);
});

test('Ratios are taken slice by slice', () => {
  assert.equal(ratios([1, 6], [2, 3]), [0.5, 2]);
  assert.throws(() => ratios([1], [1, 2]), '1 slices against 2');
});

test.run();
