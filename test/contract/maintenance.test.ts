import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FieldProblem } from '../../src/contract/details.ts';
import {
  changeWindow,
  followingTimes,
  nextTimes,
  type PlannedWindow,
  planWindow,
  windowTextProblem,
} from '../../src/contract/maintenance.ts';

const NOW_MS = Date.parse('2026-11-21T09:30:00.123Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NIGHTLY = { cron: '0 3 * * *', timezone: 'UTC', lengthS: 3_600 };

function planned(result: PlannedWindow | FieldProblem): PlannedWindow {
  if ('message' in result) throw new Error(result.message);
  return result;
}

function faultOf(result: PlannedWindow | FieldProblem): string | null {
  return 'message' in result ? result.field : null;
}

const at = (text: string) => Date.parse(text);

test('a window begins now and ends by its length or at its end', () => {
  assert.equal(planWindow({ for: 3_600 }, NOW_MS), { fromMs: NOW_MS, untilMs: NOW_MS + HOUR_MS, recurrence: null });
  const fromMs = NOW_MS + 30 * DAY_MS;
  const untilMs = fromMs + 7 * DAY_MS;
  assert.equal(planWindow({ fromMs, untilMs }, NOW_MS), { fromMs, untilMs, recurrence: null });
  assert.is(planned(planWindow({ fromMs: NOW_MS - MINUTE_MS, for: 60 }, NOW_MS)).fromMs, NOW_MS, 'a slow request');
});

test('a window out of bounds is rejected by the field that is wrong', () => {
  const faults: readonly (readonly [Parameters<typeof planWindow>[0], string])[] = [
    [{}, 'for'],
    [{ for: 60, untilMs: NOW_MS + HOUR_MS }, 'until'],
    [{ for: 59 }, 'for'],
    [{ for: 61.5 }, 'for'],
    [{ for: 7 * 86_400 + 1 }, 'for'],
    [{ untilMs: NOW_MS - 1 }, 'until'],
    [{ untilMs: NOW_MS + 7 * DAY_MS + 1 }, 'until'],
    [{ fromMs: NOW_MS + 30 * DAY_MS + 1, for: 60 }, 'from'],
    [{ fromMs: NOW_MS - HOUR_MS, for: 60 }, 'from'],
    [{ for: 60, timezone: 'UTC' }, 'timezone'],
    [{ cron: '0 3 * * *', for: 86_401 }, 'for'],
    [{ cron: '0 3 * * *' }, 'for'],
    [{ cron: '0 3 * * *', for: 60, timezone: 'Nowhere' }, 'timezone'],
    [{ cron: '0 0 30 2 *', for: 60 }, 'cron'],
    [{ cron: '0 3 * *', for: 60 }, 'cron'],
    [{ cron: '0 3 * * *', for: 60, fromMs: NOW_MS }, 'from'],
    [{ cron: '0 3 * * *', untilMs: NOW_MS + HOUR_MS }, 'until'],
  ];
  for (const [asked, field] of faults) assert.is(faultOf(planWindow(asked, NOW_MS)), field, JSON.stringify(asked));
  assert.is(faultOf(planWindow({ for: 4 * 3_600 }, NOW_MS, true)), null);
  assert.is(faultOf(planWindow({ for: 4 * 3_600 + 1 }, NOW_MS, true)), 'for', 'a key has four hours at most');
  assert.is(windowTextProblem({ only: ' ' })?.message, 'The only field must not be blank.');
  const tooLong = 'The note field must not be greater than 500 characters.';
  assert.is(windowTextProblem({ note: 'x'.repeat(501) })?.message, tooLong);
  assert.is(windowTextProblem({ only: 'db-*', note: '🚀'.repeat(500) }), null);
});

test('a local start that does not exist moves to the next time that does, and one that comes twice starts once', () => {
  const berlin = { cron: '30 2 * * *', timezone: 'Europe/Berlin', lengthS: 3_600 };
  const spring = nextTimes(berlin, at('2026-03-28T12:00:00Z'));
  assert.equal(spring, { fromMs: at('2026-03-29T01:00:00Z'), untilMs: at('2026-03-29T02:00:00Z') }, '03:00 in Berlin');
  assert.is(nextTimes(berlin, spring?.fromMs ?? 0)?.fromMs, at('2026-03-30T00:30:00Z'));
  const autumn = nextTimes(berlin, at('2026-10-24T12:00:00Z'));
  assert.is(autumn?.fromMs, at('2026-10-25T00:30:00Z'), 'the first 02:30');
  assert.is(nextTimes(berlin, autumn?.fromMs ?? 0)?.fromMs, at('2026-10-26T01:30:00Z'));
});

test('each window lasts its length in real time, over every change of the clock', () => {
  for (const timezone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'UTC']) {
    for (const hour of [0, 1, 2, 3]) {
      const plan = { cron: `15 ${hour} * * *`, timezone, lengthS: 10_800 };
      let endedMs = at('2026-01-01T00:00:00Z');
      for (let nth = 0; nth < 366; nth += 1) {
        const times = followingTimes(plan, endedMs, endedMs);
        if (times === null) throw new Error('it comes every day');
        assert.is(times.untilMs - times.fromMs, 3 * HOUR_MS);
        assert.ok(times.fromMs >= endedMs, 'never before the end of the last one');
        assert.ok(times.fromMs - endedMs < 24 * HOUR_MS, `${timezone} ${hour}: one a day`);
        endedMs = times.untilMs;
      }
    }
  }
});

test('after an outage the occurrence that is on counts, and those that are over do not', () => {
  const ended = at('2026-11-20T04:00:00Z');
  assert.is(followingTimes(NIGHTLY, ended, at('2026-11-22T03:20:00Z'))?.fromMs, at('2026-11-22T03:00:00Z'));
  assert.is(followingTimes(NIGHTLY, ended, at('2026-11-22T04:20:00Z'))?.fromMs, at('2026-11-23T03:00:00Z'));
});

test('starts within an occurrence are skipped, and one right at its end counts', () => {
  const often = { cron: '*/10 * * * *', timezone: 'UTC', lengthS: 1_500 };
  const first = nextTimes(often, at('2026-11-21T09:55:00Z'));
  assert.is(first?.untilMs, at('2026-11-21T10:25:00Z'));
  assert.is(followingTimes(often, first?.untilMs ?? 0, first?.untilMs ?? 0)?.fromMs, at('2026-11-21T10:30:00Z'));
  const hourly = { cron: '0 * * * *', timezone: 'UTC', lengthS: 3_600 };
  assert.is(
    followingTimes(hourly, at('2026-11-21T10:00:00Z'), at('2026-11-21T10:00:00.050Z'))?.fromMs,
    at('2026-11-21T10:00:00Z'),
  );
});

test('once it is on, a window keeps its start, and its end moves', () => {
  const on = { fromMs: NOW_MS - HOUR_MS, untilMs: NOW_MS + HOUR_MS, recurrence: null };
  assert.is(planned(changeWindow(on, { untilMs: NOW_MS + 2 * HOUR_MS }, NOW_MS)).untilMs, NOW_MS + 2 * HOUR_MS);
  assert.is(planned(changeWindow(on, { for: 10_800 }, NOW_MS)).untilMs, NOW_MS + 2 * HOUR_MS);
  assert.is(planned(changeWindow(on, { untilMs: NOW_MS - MINUTE_MS }, NOW_MS)).untilMs, NOW_MS, 'it ends now');
  assert.is(faultOf(changeWindow(on, { fromMs: NOW_MS }, NOW_MS)), 'from');
  assert.is(faultOf(changeWindow(on, { untilMs: on.fromMs + 7 * DAY_MS + 1 }, NOW_MS)), 'until');
  assert.is(faultOf(changeWindow(on, { cron: '0 3 * * *' }, NOW_MS)), 'cron');
  const later = { fromMs: NOW_MS + HOUR_MS, untilMs: NOW_MS + 2 * HOUR_MS, recurrence: null };
  const moved = planned(changeWindow(later, { fromMs: NOW_MS + 3 * HOUR_MS }, NOW_MS));
  assert.equal([moved.fromMs, moved.untilMs], [NOW_MS + 3 * HOUR_MS, NOW_MS + 4 * HOUR_MS], 'it keeps its length');
});

test('A planned window keeps a length of any milliseconds through changes of other fields and of its start', () => {
  const later = { fromMs: NOW_MS + HOUR_MS, untilMs: NOW_MS + 2 * HOUR_MS + 1, recurrence: null };
  assert.equal(changeWindow(later, {}, NOW_MS), later);
  const moved = planned(changeWindow(later, { fromMs: NOW_MS + 3 * HOUR_MS }, NOW_MS));
  assert.is(moved.untilMs, NOW_MS + 4 * HOUR_MS + 1);
  const begun = planned(changeWindow(later, { fromMs: NOW_MS - MINUTE_MS }, NOW_MS));
  assert.equal([begun.fromMs, begun.untilMs], [NOW_MS, NOW_MS + HOUR_MS + 1]);
});

test('a window by cron follows a new schedule from the next occurrence on, and one occurrence can end early', () => {
  const nowMs = at('2026-11-21T03:20:00Z');
  const on = { fromMs: at('2026-11-21T03:00:00Z'), untilMs: at('2026-11-21T04:00:00Z'), recurrence: NIGHTLY };
  const changed = planned(changeWindow(on, { cron: '0  5 * * *' }, nowMs));
  assert.equal([changed.fromMs, changed.untilMs, changed.recurrence?.cron], [on.fromMs, on.untilMs, '0 5 * * *']);
  assert.is(planned(changeWindow(on, { untilMs: nowMs }, nowMs)).untilMs, nowMs);
  const before = { ...on, fromMs: on.fromMs + DAY_MS, untilMs: on.untilMs + DAY_MS };
  assert.is(planned(changeWindow(before, { for: 60 }, nowMs)).untilMs, at('2026-11-22T03:01:00Z'));
  assert.is(faultOf(changeWindow(before, { untilMs: nowMs + HOUR_MS }, nowMs)), 'until');
  assert.is(faultOf(changeWindow(before, { fromMs: nowMs + HOUR_MS }, nowMs)), 'from');
});

test.run();
