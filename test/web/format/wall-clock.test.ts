import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { instantOf, wallTime } from '../../../src/web/format/wall-clock.ts';

const BERLIN = 'Europe/Berlin';

test('A time of the clock on the wall is an instant of its time zone, in summer and winter', () => {
  assert.is(instantOf('2026-07-01T09:30', BERLIN).toISOString(), '2026-07-01T07:30:00.000Z');
  assert.is(instantOf('2026-12-01T09:30', BERLIN).toISOString(), '2026-12-01T08:30:00.000Z');
  assert.is(instantOf('2026-12-01T09:30', 'America/New_York').toISOString(), '2026-12-01T14:30:00.000Z');
  assert.is(wallTime(new Date('2026-07-01T07:30:59Z'), BERLIN), '2026-07-01T09:30');
});

test('A time that the clocks show twice is the first of both, and one that they skip is later', () => {
  assert.is(instantOf('2026-10-25T02:30', BERLIN).toISOString(), '2026-10-25T00:30:00.000Z');
  assert.is(instantOf('2026-10-25T03:30', BERLIN).toISOString(), '2026-10-25T02:30:00.000Z');
  assert.is(instantOf('2026-03-29T02:30', BERLIN).toISOString(), '2026-03-29T01:30:00.000Z');
});

test.run();
