import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type QuietHours, quietProblems, quietTimes, storedQuietHours } from '../../src/contract/ringing.ts';

const NIGHT: QuietHours = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' };
const isQuiet = quietTimes();

function at(time: string, hours: Partial<QuietHours> = {}): boolean {
  return isQuiet({ ...NIGHT, ...hours }, Date.parse(time));
}

test('quiet hours begin with the first minute and end before the last, also over midnight', () => {
  const times = ['20:59:59.999', '21:00', '23:30', '05:59:59', '06:00'];
  assert.equal(
    times.map((time) => at(`2026-11-21T${time}Z`)),
    [false, true, true, true, false],
  );
  const noon = { from: '12:00', to: '13:00' };
  assert.equal(
    ['10:59', '11:00', '11:59', '12:00'].map((time) => at(`2026-11-21T${time}Z`, noon)),
    [false, true, true, false],
  );
});

test('a night belongs to the day on which it begins', () => {
  const weekend = { days: ['fri', 'sat'] } as const;
  // The 20th is a Friday.
  assert.is(at('2026-11-20T05:00Z', weekend), false, 'the night of Thursday');
  assert.is(at('2026-11-20T22:00Z', weekend), true);
  assert.is(at('2026-11-22T05:00Z', weekend), true, 'the night of Saturday');
  assert.is(at('2026-11-22T22:00Z', weekend), false);
});

test('hours that end when they begin last for a day', () => {
  const sunday = { from: '06:00', to: '06:00', days: ['sun'] } as const;
  assert.equal(
    ['2026-11-22T04:59Z', '2026-11-22T05:00Z', '2026-11-23T04:59Z', '2026-11-23T05:00Z'].map((time) =>
      at(time, sunday),
    ),
    [false, true, true, false],
  );
});

test('an hour that the clock repeats is quiet twice, and one that it skips not at all', () => {
  const twoToThree = { from: '02:00', to: '03:00' };
  const autumn = ['2026-10-24T23:59Z', '2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T02:00Z'];
  assert.equal(
    autumn.map((time) => at(time, twoToThree)),
    [false, true, true, false],
  );
  const spring = ['2026-03-29T00:59Z', '2026-03-29T01:00Z', '2026-03-29T01:30Z'];
  assert.equal(
    spring.map((time) => at(time, twoToThree)),
    [false, false, false],
  );
  assert.is(at('2026-03-29T04:59Z'), true, 'the night before is an hour shorter');
  assert.is(at('2026-03-29T05:00Z'), false);
});

test('all that is wrong is reported, each under its field, and a zone that means different things is refused', () => {
  const fields = (hours: object) => quietProblems({ ...NIGHT, ...hours } as QuietHours).map(({ field }) => field);
  assert.equal(fields({}), []);
  assert.equal(fields({ from: '24:00', to: '7:00', timezone: 'Mars/Base', days: [] }), [
    'quiet.from',
    'quiet.to',
    'quiet.timezone',
    'quiet.days',
  ]);
  for (const other of [5, undefined, null, { toString: 1 }, ['22:00'], ['UTC'], ['mon', ['tue']]]) {
    assert.equal(fields({ from: other, to: other, timezone: other, days: other ?? 'mon' }).length, 4);
  }
  for (const timezone of ['CET', 'EST', '+02:00', '-05', '', '/etc/passwd']) {
    assert.equal(fields({ timezone }), ['quiet.timezone'], timezone);
  }
  for (const timezone of ['UTC', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5']) {
    assert.equal(fields({ timezone }), [], timezone);
  }
});

test('a time zone that this Node does not know makes nothing quiet', () => {
  assert.is(at('2026-11-21T23:30Z', { timezone: 'Mars/Base' }), false);
  assert.is(at('2026-11-21T23:30Z'), true);
});

test('days are kept once, in the order of the week', () => {
  const stored = storedQuietHours({ ...NIGHT, days: ['sun', 'mon', 'sun'] });
  assert.equal(JSON.parse(stored), { ...NIGHT, days: ['mon', 'sun'] });
});

test.run();
