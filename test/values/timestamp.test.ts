import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  fromRfc3339,
  fromTimestamp,
  hourOf,
  isoWithoutZone,
  monthOf,
  nextMonthMs,
  toTimestamp,
  toTimestampOrNull,
} from '../../src/values/timestamp.ts';

const test = suite('timestamp');

test('a timestamp has milliseconds and an explicit offset', () => {
  assert.is(toTimestamp(Date.UTC(2026, 10, 21, 9, 30, 0, 123)), '2026-11-21T09:30:00.123+00:00');
  assert.is(toTimestampOrNull(0), '1970-01-01T00:00:00.000+00:00');
  assert.is(toTimestampOrNull(null), null);
});

test('times in any order, around seconds and before 1970, have the texts of Date', () => {
  const near = fc.integer({ min: -3_000, max: 3_000 });
  const times = fc.array(
    fc.oneof(
      near,
      near.map((ms) => Date.UTC(2026, 11, 31, 23, 59, 59) + ms),
    ),
    { minLength: 20 },
  );
  fc.assert(fc.property(times, (all) => all.every((ms) => `${isoWithoutZone(ms)}Z` === new Date(ms).toISOString())));
});

test('a text is a time with its offset alone, down to the millisecond', () => {
  for (const [text, iso] of [
    ['2026-11-21T09:30:00.123+00:00', '2026-11-21T09:30:00.123Z'],
    ['2026-11-21T09:30:00Z', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21T09:30-05:30', '2026-11-21T15:00:00.000Z'],
    ['2026-11-21T09:30:00.123456789Z', '2026-11-21T09:30:00.123Z'],
    ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ] as const) {
    assert.is(fromTimestamp(text), Date.parse(iso), text);
  }
  for (const text of ['', '2026-11-21', '2026-11-21T09:30:00', '2026-11-21 09:30:00Z', '1795253400', 'now', '1 Z']) {
    assert.is(fromTimestamp(text), null, text);
  }
});

test('a day, hour or offset that there is not is no time, nor is a year that cannot be written with four digits', () => {
  for (const text of [
    '2026-02-29T09:30:00Z',
    '2026-04-31T09:30:00Z',
    '2026-13-01T09:30:00Z',
    '2026-11-21T25:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T09:30:00+99:99',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
  ]) {
    assert.is(fromTimestamp(text), null, text);
  }
});

test('a leap second of RFC 3339 is the second after it, and is accepted at its possible times', () => {
  assert.is(fromRfc3339('2016-12-31T23:59:60.5Z'), Date.parse('2017-01-01T00:00:00.500Z'));
  assert.is(fromRfc3339('2016-12-31T18:59:60-05:00'), Date.parse('2017-01-01T00:00:00Z'));
  for (const text of ['2016-12-31T12:00:60Z', '2016-12-31T23:59:61Z', '2016-12-31T23:59:60', '2016-12-31T23:59Z']) {
    assert.is(fromRfc3339(text), null, text);
  }
});

test('a month ends with its last millisecond, in UTC', () => {
  const decemberMs = Date.UTC(2026, 11, 1);
  assert.is(monthOf(decemberMs - 1), '2026-11');
  assert.is(monthOf(decemberMs), '2026-12');
  assert.is(nextMonthMs(decemberMs - 1), decemberMs);
  assert.is(nextMonthMs(decemberMs), Date.UTC(2027, 0, 1));
});

test('counting months back crosses years and never skips a short month', () => {
  const lastOfMarchMs = Date.UTC(2027, 2, 31, 23);
  assert.equal(
    [0, 1, 2, 3, 12].map((before) => monthOf(lastOfMarchMs, before)),
    ['2027-03', '2027-02', '2027-01', '2026-12', '2026-03'],
  );
});

test('an hour is named by its first millisecond', () => {
  assert.is(hourOf(Date.UTC(2026, 10, 21, 9, 59, 59, 999)), Date.UTC(2026, 10, 21, 9));
});

test.run();
