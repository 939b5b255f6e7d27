import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayOf } from '../../../src/contract/on-call/local-clock.ts';
import { changedRota, type Handover, newRota, type Rota } from '../../../src/contract/on-call/rota.ts';
import { type Override, timelineOf } from '../../../src/contract/on-call/timeline.ts';

const NAMES = ['Ada', 'Bob', 'Cyd', 'Dan'];
const [ADA, BOB, CYD, DAN] = [0, 1, 2, 3];
const MONDAYS: Handover = { every: 'week', count: 1, weekday: 0, minute: 9 * 60 };
const DAY_MS = 86_400_000;

function rota(startsOn: string, changed: Partial<Pick<Rota, 'timezone' | 'handover' | 'members'>> = {}): Rota {
  const usual = { timezone: 'Europe/Berlin', handover: MONDAYS, members: [ADA, BOB, CYD] };
  return newRota({ ...usual, ...changed, startsOn: dayOf(startsOn) });
}

const daily = (at: string): Handover => {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  return { every: 'day', count: 1, weekday: 0, minute: hours * 60 + minutes };
};

/** The first `count` changes after a time: `Bob 2027-03-22T08:00Z`. */
function changes(of: Rota, afterMs: number, count: number, overrides: readonly Override[] = []): string[] {
  const timeline = timelineOf(of, overrides);
  const found: string[] = [];
  for (let atMs: number | null = afterMs; found.length < count; ) {
    atMs = timeline.shiftAt(atMs).untilMs;
    if (atMs === null) break;
    found.push(`${nameAt(of, atMs, overrides)} ${new Date(atMs).toISOString().replace(':00.000Z', 'Z')}`);
  }
  return found;
}

function nameAt(of: Rota, atMs: number, overrides: readonly Override[] = []): string {
  const { person } = timelineOf(of, overrides).at(atMs);
  return person === null ? 'nobody' : (NAMES[person] ?? '?');
}

const at = (time: string) => Date.parse(time);
const year = (date: string) => at(`${date}T00:00Z`) - DAY_MS;

/** Cyd is on call by it. */
const R = rota('2027-01-04');
const T0 = at('2027-02-10T11:00Z');

test('a week of spring is an hour shorter, and one of autumn an hour longer', () => {
  assert.equal(changes(rota('2027-03-15'), year('2027-03-15'), 4), [
    'Ada 2027-03-15T08:00Z',
    'Bob 2027-03-22T08:00Z',
    'Cyd 2027-03-29T07:00Z',
    'Ada 2027-04-05T07:00Z',
  ]);
  const autumn = rota('2027-10-18');
  assert.equal(changes(autumn, year('2027-10-18'), 3), [
    'Ada 2027-10-18T07:00Z',
    'Bob 2027-10-25T07:00Z',
    'Cyd 2027-11-01T08:00Z',
  ]);
  assert.is(nameAt(autumn, at('2027-11-01T07:30Z')), 'Bob');
});

test('a time that the clock skips moves to the next one that exists, and one that it shows twice counts once', () => {
  const two = { members: [ADA, BOB] };
  assert.equal(changes(rota('2027-03-26', { ...two, handover: daily('02:30') }), at('2027-03-26T12:00Z'), 3), [
    'Bob 2027-03-27T01:30Z',
    'Ada 2027-03-28T01:00Z',
    'Bob 2027-03-29T00:30Z',
  ]);
  assert.equal(changes(rota('2027-10-29', { ...two, handover: daily('02:30') }), at('2027-10-29T12:00Z'), 3), [
    'Bob 2027-10-30T00:30Z',
    'Ada 2027-10-31T00:30Z',
    'Bob 2027-11-01T01:30Z',
  ]);
  const lordHowe = rota('2027-10-01', { ...two, timezone: 'Australia/Lord_Howe', handover: daily('02:15') });
  assert.equal(changes(lordHowe, at('2027-10-01T00:00Z'), 3), [
    'Bob 2027-10-01T15:45Z',
    'Ada 2027-10-02T15:30Z',
    'Bob 2027-10-03T15:15Z',
  ]);
  const havana = rota('2027-03-12', { timezone: 'America/Havana', handover: daily('00:00') });
  assert.equal(changes(havana, at('2027-03-12T00:00Z'), 4), [
    'Ada 2027-03-12T05:00Z',
    'Bob 2027-03-13T05:00Z',
    'Cyd 2027-03-14T05:00Z',
    'Ada 2027-03-15T04:00Z',
  ]);
});

test('nobody is on call before a rota begins, and a handover at that very moment does not count', () => {
  const thursday = rota('2027-01-07');
  assert.is(nameAt(thursday, at('2027-01-07T07:59Z')), 'nobody');
  assert.equal(changes(thursday, year('2027-01-07'), 3), [
    'Ada 2027-01-07T08:00Z',
    'Bob 2027-01-11T08:00Z',
    'Cyd 2027-01-18T08:00Z',
  ]);
  assert.is(nameAt(R, at('2027-01-04T08:00Z')), 'Ada');
});

test('a member who joins a rota of two weeks waits for their turn', () => {
  const fortnights = rota('2026-12-14', { members: [ADA, BOB], handover: { ...MONDAYS, count: 2 } });
  assert.equal(changes(fortnights, year('2026-12-14'), 4), [
    'Ada 2026-12-14T08:00Z',
    'Bob 2026-12-28T08:00Z',
    'Ada 2027-01-11T08:00Z',
    'Bob 2027-01-25T08:00Z',
  ]);
  const now = at('2027-01-06T12:00Z');
  const three = changedRota(fortnights, { members: [ADA, BOB, CYD] }, now);
  assert.is(nameAt(three, now), 'Bob');
  assert.equal(changes(three, now, 3), ['Cyd 2027-01-11T08:00Z', 'Ada 2027-01-25T08:00Z', 'Bob 2027-02-08T08:00Z']);
});

test('a change of the list moves nobody who is on call', () => {
  const lists: readonly (readonly [number[], string[]])[] = [
    [
      [ADA, BOB, CYD, DAN],
      ['Dan 2027-02-15', 'Ada 2027-02-22', 'Bob 2027-03-01', 'Cyd 2027-03-08'],
    ],
    [
      [DAN, ADA, BOB, CYD],
      ['Dan 2027-02-15', 'Ada 2027-02-22', 'Bob 2027-03-01', 'Cyd 2027-03-08'],
    ],
    [
      [CYD, BOB, ADA],
      ['Bob 2027-02-15', 'Ada 2027-02-22', 'Cyd 2027-03-01'],
    ],
    [
      [BOB, CYD],
      ['Bob 2027-02-15', 'Cyd 2027-02-22'],
    ],
  ];
  for (const [members, expected] of lists) {
    const changed = changedRota(R, { members }, T0);
    assert.is(nameAt(changed, T0), 'Cyd');
    assert.equal(
      changes(changed, T0, expected.length),
      expected.map((line) => `${line}T08:00Z`),
    );
  }
});

test('if the person on call is removed, the next one of the old list takes over at once', () => {
  const without = changedRota(R, { members: [ADA, BOB] }, T0);
  assert.is(nameAt(without, T0), 'Ada');
  assert.equal(changes(without, T0, 2), ['Bob 2027-02-15T08:00Z', 'Ada 2027-02-22T08:00Z']);
  assert.is(nameAt(changedRota(without, { members: [] }, T0), T0), 'nobody');
  assert.is(nameAt(changedRota(R, { members: [DAN, BOB, ADA] }, T0), T0), 'Ada', 'behind Cyd comes Ada, not Dan');
});

test('an override puts its person on call, also over a handover', () => {
  const dan = { id: 7, person: DAN, fromMs: at('2027-02-14T12:00Z'), untilMs: at('2027-02-15T20:00Z') };
  assert.equal(changes(R, T0, 3, [dan]), ['Dan 2027-02-14T12:00Z', 'Ada 2027-02-15T20:00Z', 'Bob 2027-02-22T08:00Z']);
  const short = { ...dan, untilMs: at('2027-02-15T08:00Z') };
  assert.equal(changes(R, T0, 2, [short]), ['Dan 2027-02-14T12:00Z', 'Ada 2027-02-15T08:00Z']);
  const cyd = { ...dan, id: 8, person: CYD };
  assert.equal(changes(R, T0, 1, [dan, cyd]), ['Ada 2027-02-15T20:00Z'], 'the last one made wins');
});

test('a new handover or time zone counts from the first handover by the new rule', () => {
  const fridays = changedRota(R, { handover: { ...MONDAYS, weekday: 4, minute: 17 * 60 } }, T0);
  assert.equal(changes(fridays, T0, 2), ['Ada 2027-02-12T16:00Z', 'Bob 2027-02-19T16:00Z']);
  const newYork = changedRota(R, { timezone: 'America/New_York' }, T0);
  assert.equal(changes(newYork, T0, 2), ['Ada 2027-02-15T14:00Z', 'Bob 2027-02-22T14:00Z']);
});

test('a rota of one person has no end and no next', () => {
  const { untilMs, person } = timelineOf(rota('2027-01-04', { members: [ADA] }), []).shiftAt(T0);
  assert.equal([person, untilMs], [ADA, null]);
});

test('a daily rota goes on through an outage', () => {
  const may = rota('2027-05-01', { handover: daily('09:00') });
  assert.equal(
    ['2027-05-03T12:00Z', '2027-05-04T12:00Z', '2027-05-05T12:00Z'].map((time) => nameAt(may, at(time))),
    ['Cyd', 'Ada', 'Bob'],
  );
});

test.run();
