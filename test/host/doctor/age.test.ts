import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkAge } from '../../../src/host/doctor/gather.ts';

const MADE_MS = Date.parse('2026-01-01T00:00:00Z');
const DAY_MS = 86_400_000;

for (const [days, status, age] of [
  [-1, 'ok', 'less than a day'],
  [0, 'ok', 'less than a day'],
  [1, 'ok', '1 day'],
  [59, 'ok', '59 days'],
  [62, 'ok', '2 months'],
  [182, 'ok', '5 months'],
  [183, 'warn', '6 months'],
  [335, 'warn', '11 months'],
  [800, 'warn', '26 months'],
] as const) {
  test(`A version of ${days} days is ${age} old: ${status}`, () => {
    const [finding] = checkAge(MADE_MS, MADE_MS + days * DAY_MS);
    assert.equal([finding?.status, finding?.message], [status, `this version is ${age} old`]);
  });
}

test('A version of unknown age has no finding', () => {
  assert.equal(checkAge(null, MADE_MS), []);
});

test.run();
