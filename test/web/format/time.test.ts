import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { happenedAt, msOf, Times } from '../../../src/web/format/time.ts';

const times = new Times('en-GB', 'Europe/Berlin');
const NOW = Date.parse('2026-11-22T10:00:00Z');
const at = (iso: string): number => msOf(iso);

test('A recent time is relative, an older one the time of day', () => {
  const short = (iso: string) => times.short(at(iso), NOW);
  assert.is(short('2026-11-22T09:59:30.000+00:00'), 'now');
  assert.is(short('2026-11-22T09:57:00.000+00:00'), '3 min ago');
  assert.is(short('2026-11-22T08:10:00.000+00:00'), '1 hr ago');
  assert.is(short('2026-11-22T03:05:00.000+00:00'), '04:05');
});

test('A time that is ahead of the clock here is now', () => {
  assert.is(times.short(NOW + 90_000, NOW), 'now');
});

test('A time later today, such as the end of a key, is shown as a time of day', () => {
  const dated = (iso: string) => times.dated(at(iso), NOW);
  assert.is(dated('2026-11-22T09:57:00.000+00:00'), '3 min ago');
  assert.is(dated('2026-11-22T10:00:30.000+00:00'), 'now');
  assert.is(dated('2026-11-22T20:30:00.000+00:00'), '21:30');
  assert.is(dated('2026-11-23T02:00:00.000+00:00'), 'tomorrow, 03:00');
});

test('A day has a name near today, and a year far from it', () => {
  const day = (iso: string) => times.day(at(iso), NOW);
  assert.is(day('2026-11-21T23:30:00.000+00:00'), 'Today');
  assert.is(day('2026-11-21T22:30:00.000+00:00'), 'Yesterday');
  assert.is(day('2026-11-22T23:30:00.000+00:00'), 'Tomorrow');
  assert.is(day('2026-11-23T23:30:00.000+00:00'), 'Tuesday 24 November');
  assert.is(day('2026-11-19T12:00:00.000+00:00'), 'Thursday 19 November');
  assert.is(day('2025-03-03T12:00:00.000+00:00'), '3 March 2025');
});

test('Yesterday is the day before, also around days of 23 and of 25 hours', () => {
  const day = (iso: string, now: string) => times.day(at(iso), at(now));
  // Half past midnight after the short one, and half past eleven on the long one.
  const [afterShort, onLong] = ['2026-03-29T22:30:00.000+00:00', '2026-10-25T22:30:00.000+00:00'];
  assert.is(day('2026-03-29T12:00:00.000+00:00', afterShort), 'Yesterday');
  assert.is(day('2026-03-28T12:00:00.000+00:00', afterShort), 'Saturday 28 March');
  assert.is(day('2026-10-24T12:00:00.000+00:00', onLong), 'Yesterday');
  assert.is(day('2026-10-23T12:00:00.000+00:00', onLong), 'Friday 23 October');
});

test('Since when something has been so reads within a sentence', () => {
  const since = (iso: string) => times.since(at(iso), NOW);
  assert.is(since('2026-11-22T09:57:00.000+00:00'), '10:57');
  assert.is(since('2026-11-21T22:30:00.000+00:00'), 'yesterday, 23:30');
  assert.is(since('2026-11-19T12:00:00.000+00:00'), 'Thursday 19 November, 13:00');
});

test('When something happens reads within a sentence', () => {
  const when = (iso: string) => times.when(at(iso), NOW);
  assert.is(when('2026-11-22T20:30:00.000+00:00'), 'at 21:30');
  assert.is(when('2026-11-23T07:00:00.000+00:00'), 'tomorrow, 08:00');
  assert.is(when('2026-11-24T07:00:00.000+00:00'), 'Tuesday 24 November, 08:00');
});

test('The exact time names day, second and zone', () => {
  assert.is(times.exact(at('2026-11-22T09:30:05.123+00:00')), 'Sunday, 22 November 2026 at 10:30:05 CET');
});

test('Times are written as in a region, in a zone that need not be that of the machine', () => {
  const moment = at('2026-11-22T17:30:05.000+00:00');
  // With a space that does not break, in some browsers.
  assert.match(new Times('en-US', 'America/New_York').clock(moment), /^12:30\sPM$/u);
  assert.is(new Times('en-DE', 'Asia/Tokyo').clock(moment), '02:30');
  assert.is(new Times('en-US', 'UTC').day(at('2025-03-03T12:00:00.000+00:00'), NOW), 'March 3, 2025');
});

test('Whether a day is of this year goes by the chosen zone', () => {
  const newYear = at('2026-12-31T20:00:00.000+00:00');
  const tokyo = new Times('en-US', 'Asia/Tokyo');
  assert.is(tokyo.day(at('2026-12-29T12:00:00.000+00:00'), newYear), 'December 29, 2026');
});

const received_at = '2026-11-22T09:30:00.000+00:00';

test('The time of an event is shown if it is more than a minute before or after its receipt', () => {
  for (const occurred_at of ['2026-11-22T09:28:59.999+00:00', '2026-11-22T09:31:00.001+00:00']) {
    assert.is(happenedAt({ occurred_at, received_at }), occurred_at);
  }
  for (const occurred_at of ['2026-11-22T09:29:00.000+00:00', '2026-11-22T09:31:00.000+00:00', null]) {
    assert.is(happenedAt({ occurred_at, received_at }), null);
  }
  assert.is(happenedAt({ received_at }), null);
});

test.run();
