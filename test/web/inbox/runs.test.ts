import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runsOf } from '../../../src/web/inbox/listed-events.ts';

/** Newest first. */
const rows = (newest: number, oldest: number) => Array.from({ length: newest - oldest + 1 }, (_, nth) => newest - nth);
const oldest = new Set<string>();
/** The newest and the oldest row of each run. */
const ends = (all: readonly number[]) => runsOf(all, String, oldest).map((run) => [run[0], run.at(-1)]);

test.before.each(() => oldest.clear());

test('A row that comes on top is in the first run until that is full, and in one of its own then', () => {
  assert.equal(ends(rows(120, 1)), [
    [120, 101],
    [100, 51],
    [50, 1],
  ]);
  assert.equal(ends(rows(150, 1)), [
    [150, 101],
    [100, 51],
    [50, 1],
  ]);
  assert.equal(ends(rows(151, 1))[0], [151, 151]);
});

test('Earlier rows that are asked for leave the runs above them as they are', () => {
  assert.equal(ends(rows(120, 71)), [[120, 71]]);
  assert.equal(ends(rows(120, 11)), [
    [120, 71],
    [70, 61],
    [60, 11],
  ]);
});

test('A row that is gone changes its run alone', () => {
  ends(rows(120, 1));
  const without = (row: number) => ends(rows(120, 1).filter((number) => number !== row));
  assert.equal(without(80), [
    [120, 101],
    [100, 51],
    [50, 1],
  ]);
  assert.equal(without(51), [
    [120, 101],
    [100, 52],
    [50, 1],
  ]);
});

test.run();
