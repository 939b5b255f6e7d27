import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dueAtMs } from '../../../src/server/backups/backups.ts';

const test = suite('when a backup is due');
const DAY_MS = 86_400_000;
const zone = process.env.TZ;
test.before.each(() => {
  process.env.TZ = 'Europe/Berlin';
});
test.after.each(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const dueAfter = (newest: string, at: string, everyMs = DAY_MS) =>
  new Date(dueAtMs(Date.parse(newest), { at, everyMs })).toISOString();

test('A backup without a time of day is due once the newest is old enough, or at once if there is none', () => {
  assert.is(dueAtMs(1_000, { at: null, everyMs: 5_000 }), 6_000);
  assert.is(dueAtMs(null, { at: null, everyMs: 5_000 }), 0);
  assert.is(dueAtMs(null, { at: '03:00', everyMs: DAY_MS }), 0);
});

test("A backup with a time of day is due once a day in the server's zone, even after a late one", () => {
  assert.is(dueAfter('2026-11-21T02:00:00Z', '03:00'), '2026-11-22T02:00:00.000Z');
  assert.is(dueAfter('2026-11-21T02:00:07Z', '03:00'), '2026-11-22T02:00:00.000Z');
  assert.is(dueAfter('2026-11-21T15:30:00Z', '03:00'), '2026-11-22T02:00:00.000Z');
  assert.is(dueAfter('2026-11-21T01:59:59Z', '03:00'), '2026-11-21T02:00:00.000Z');
});

test('Every few days likewise', () => {
  assert.is(dueAfter('2026-11-01T02:00:07Z', '03:00', 7 * DAY_MS), '2026-11-08T02:00:00.000Z');
  assert.is(dueAfter('2026-11-01T20:00:00Z', '03:00', 7 * DAY_MS), '2026-11-08T02:00:00.000Z');
});

test('Days on which clocks are changed have one each', () => {
  // 23 hours: 02:30 is left out, and what clocks show instead is 03:30.
  assert.is(dueAfter('2026-03-28T02:00:00Z', '03:00'), '2026-03-29T01:00:00.000Z');
  assert.is(dueAfter('2026-03-28T01:30:00Z', '02:30'), '2026-03-29T01:30:00.000Z');
  // 25 hours: 02:30 comes twice.
  const first = dueAfter('2026-10-24T00:30:00Z', '02:30');
  assert.is(first, '2026-10-25T00:30:00.000Z');
  assert.is(dueAfter(first, '02:30'), '2026-10-26T01:30:00.000Z');
});

test.run();
