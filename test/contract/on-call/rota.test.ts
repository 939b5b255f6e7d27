import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayOf } from '../../../src/contract/on-call/local-clock.ts';
import { calendarOf, changedRota, newRota, type Rota, type RotaChange } from '../../../src/contract/on-call/rota.ts';
import { timelineOf } from '../../../src/contract/on-call/timeline.ts';
import { ZONES } from '../../support/time-zones.ts';

const DAY_MS = 86_400_000;
const START = dayOf('2026-09-01');
const START_MS = START * DAY_MS;
const aZone = fc.constantFrom(...ZONES);
const aHandover = fc.record({
  every: fc.constantFrom('day' as const, 'week' as const),
  count: fc.integer({ min: 1, max: 14 }),
  weekday: fc.integer({ min: 0, max: 6 }),
  minute: fc.integer({ min: 0, max: 24 * 60 - 1 }),
});
const aList = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 8 });
const aPlan = fc.record({ timezone: aZone, handover: aHandover, members: aList, startsOn: fc.constant(START) });
const aChange: fc.Arbitrary<RotaChange> = fc.oneof(
  aList.map((members) => ({ members })),
  aHandover.map((handover) => ({ handover })),
  aZone.map((timezone) => ({ timezone })),
);
/** Days after the start, before which nothing has begun, and a change. */
const someChanges = fc.array(fc.tuple(fc.integer({ min: 2 * 24, max: 400 * 24 }), aChange), { maxLength: 20 });

test('only a removal moves who is on call, and no change rewrites the past', () => {
  fc.assert(
    fc.property(aPlan, someChanges, (plan, changes) => {
      let rota: Rota = newRota(plan);
      for (const [hours, change] of changes.toSorted(([a], [b]) => a - b)) {
        const nowMs = START_MS + hours * 3_600_000;
        if (nowMs <= rota.sinceMs) continue;
        const before = timelineOf(rota, []);
        const changed = changedRota(rota, change, nowMs);
        const person = before.at(nowMs).person;
        const now = timelineOf(changed, []).at(nowMs).person;
        if (person !== null && changed.members.includes(person)) assert.is(now, person);
        else assert.is(now === null, changed.members.length === 0);
        assert.is(timelineOf(changed, []).at(nowMs - 1).person, null, 'the past is not computed again');
        rota = changed;
      }
    }),
    { numRuns: 60 },
  );
});

test('every member is on call equally often in a full turn', () => {
  fc.assert(
    fc.property(aPlan, someChanges, (plan, changes) => {
      let rota: Rota = newRota(plan);
      for (const [hours, change] of changes.toSorted(([a], [b]) => a - b)) {
        const nowMs = START_MS + hours * 3_600_000;
        if (nowMs > rota.sinceMs) rota = changedRota(rota, change, nowMs);
      }
      const calendar = calendarOf(rota);
      const turn: (number | null)[] = [];
      for (let atMs = rota.sinceMs; turn.length < rota.members.length; atMs = calendar.nextHandover(atMs)) {
        turn.push(calendar.onCallAt(atMs));
      }
      assert.equal(turn.toSorted(), rota.members.toSorted());
    }),
    { numRuns: 60 },
  );
});

test('the shifts of a stretch join without a gap, and say the same as each of their instants', () => {
  const anOverride = fc.record({
    id: fc.nat(),
    person: fc.integer({ min: 1, max: 12 }),
    fromMs: fc.integer({ min: 0, max: 60 * 24 }).map((hours) => START_MS + hours * 3_600_000),
    hours: fc.integer({ min: 1, max: 31 * 24 }),
  });
  fc.assert(
    fc.property(aPlan, fc.array(anOverride, { maxLength: 12 }), (plan, made) => {
      const overrides = made.map(({ hours, ...override }) => ({
        ...override,
        untilMs: override.fromMs + hours * 3_600_000,
      }));
      const timeline = timelineOf(newRota(plan), overrides);
      const [fromMs, untilMs] = [START_MS - DAY_MS, START_MS + 91 * DAY_MS];
      const shifts = timeline.shifts(fromMs, untilMs);
      assert.is(shifts[0]?.fromMs, fromMs);
      assert.is(shifts.at(-1)?.untilMs, untilMs);
      for (const [index, shift] of shifts.entries()) {
        const endMs = shift.untilMs ?? Number.NaN;
        if (index > 0) assert.is(shift.fromMs, shifts[index - 1]?.untilMs);
        for (const atMs of [shift.fromMs, endMs - 1]) {
          assert.equal(timeline.at(atMs), { person: shift.person, override: shift.override });
        }
        const whole = timeline.shiftAt(shift.fromMs).untilMs;
        assert.ok(whole === null || whole >= endMs || index === shifts.length - 1);
      }
    }),
    { numRuns: 30 },
  );
});

test.run();
