import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayOf, type LocalClock, localClock } from '../../../src/contract/on-call/local-clock.ts';
import { calendarOf, newRota } from '../../../src/contract/on-call/rota.ts';
import { ZONES } from '../../support/time-zones.ts';

const DAY_MS = 86_400_000;
const START = dayOf('2026-09-01');
const DAYS = 430;
/** Midnight and the hours at which clocks change, a quarter of an hour apart. */
const MINUTES = [0, 15, 30, 60, 90, 120, 135, 150, 165, 180, 210, 9 * 60, 24 * 60 - 1];

test('around every change of a clock a daily rota hands over once a day, without a gap and without an overlap', () => {
  let changes = 0;
  for (const timezone of ZONES) {
    const clock = localClock(timezone);
    const days = daysOfChanges(clock);
    changes += days.length;
    for (const minute of MINUTES) {
      const handover = { every: 'day', count: 1, weekday: 0, minute } as const;
      const calendar = calendarOf(newRota({ timezone, handover, members: [1, 2, 3], startsOn: START }));
      for (const day of days.flatMap((changed) => [-2, -1, 0, 1, 2].map((offset) => changed + offset))) {
        const fromMs = clock.instantOf(day, minute);
        const untilMs = calendar.nextHandover(fromMs);
        const member = 1 + ((day - START) % 3);
        const what = `${timezone}, minute ${minute}, ${new Date(fromMs).toISOString()}`;
        assert.is(calendar.onCallAt(fromMs), member, what);
        assert.is(calendar.onCallAt(untilMs - 1), member, what);
        assert.is(untilMs, clock.instantOf(day + 1, minute), what);
      }
    }
  }
  assert.ok(changes > 60, `${changes} changes`);
});

test.run();

/** Days of which the next one does not begin 24 hours later. */
function daysOfChanges(clock: LocalClock): number[] {
  const days = Array.from({ length: DAYS - 6 }, (_, index) => START + 3 + index);
  const starts = new Map(days.map((day) => [day, clock.instantOf(day, 12 * 60)]));
  return days.filter((day) => (starts.get(day + 1) ?? 0) - (starts.get(day) ?? 0) !== DAY_MS).slice(0, -1);
}
