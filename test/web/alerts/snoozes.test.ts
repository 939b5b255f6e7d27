import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nextEight, secondsOf, snoozeLabel, untilEightS } from '../../../src/web/alerts/snoozes.ts';
import { Times } from '../../../src/web/format/time.ts';

const CLOCK = new Times('en-GB', undefined);

test('Until eight is the next time that it is, here', () => {
  // Two seconds more, so that no clock that is a little off makes 07:59 of it.
  assert.is(untilEightS(new Date(2026, 5, 10, 3, 0)), 5 * 3_600 + 2);
  assert.is(untilEightS(new Date(2026, 5, 10, 22, 0, 0, 600)), 10 * 3_600 + 2);
  assert.is(untilEightS(new Date(2026, 5, 10, 8, 0)), 86_400);
});

test('The button says when that is, and that it is tomorrow', () => {
  const says = (hour: number, minute = 0) =>
    snoozeLabel('untilEight', new Date(2026, 5, 10, hour, minute).getTime(), CLOCK);
  assert.equal([says(3), says(12), says(22)], ['Until 08:00', 'Until tomorrow, 08:00', 'Until tomorrow, 08:00']);
  assert.is(says(7, 58), 'Until 08:03');
});

test('It is eight in the chosen time zone, with any offset, and if the clock is changed before', () => {
  const eightOf = (zone: string, now: string) => nextEight(new Date(now), zone).toISOString();
  assert.is(eightOf('America/New_York', '2026-06-10T10:00:00Z'), '2026-06-10T12:00:00.000Z');
  assert.is(eightOf('Asia/Kathmandu', '2026-06-10T02:15:00Z'), '2026-06-11T02:15:00.000Z');
  assert.is(eightOf('Europe/Berlin', '2026-10-24T20:00:00Z'), '2026-10-25T07:00:00.000Z');
  assert.is(eightOf('Europe/Berlin', '2026-03-28T21:00:00.500Z'), '2026-03-29T06:00:00.000Z');
});

test('A snooze of any length is a count of minutes or hours', () => {
  const form = new FormData();
  form.set('count', '90');
  assert.is(secondsOf(form), 5_400);
  form.set('count', '24');
  form.set('unit', 'hours');
  assert.is(secondsOf(form), 86_400);
});

test('It is within the bounds of the server', () => {
  assert.is(untilEightS(new Date(2026, 5, 10, 7, 59)), 300);
  for (let hour = 0; hour < 24 * 370; hour += 1) {
    const seconds = untilEightS(new Date(2026, 0, 1, hour, 1));
    assert.ok(seconds >= 300 && seconds <= 86_400, String(hour));
  }
});

test.run();
