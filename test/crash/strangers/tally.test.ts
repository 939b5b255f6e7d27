import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Pulse } from './pulse.ts';
import { isKept, LATE_MS, tally } from './tally.ts';
import { Timeline } from './timeline.ts';

const test = suite('crash: tally of what is in progress during faults');
const FAULT = { what: 'a fault', machines: 1, startMs: 10_000, endMs: 30_000 };

function tallied(arrivedMs: number | undefined, dueMs = 5_000) {
  const timeline = new Timeline();
  timeline.faults.push({ ...FAULT });
  return tally('events', [{ what: 'it', dueMs, arrivedMs }], { timeline, pulse: new Pulse() });
}

test('A push that never arrived is lost', () => {
  const result = tallied(undefined);
  assert.equal([result.promised, result.lost, result.late, isKept(result)], [1, 1, 0, false]);
  assert.match(result.wrong[0] ?? '', 'lost: it');
});

test('Only time without a fault makes a push late', () => {
  const onTime = FAULT.endMs + LATE_MS - (FAULT.startMs - 5_000);
  assert.equal(
    [onTime, onTime + 1].map((arrivedMs) => tallied(arrivedMs).late),
    [0, 1],
  );
  assert.is(isKept(tallied(onTime)), true);
  assert.equal(tallied(onTime).slowestAfterMs, onTime - FAULT.endMs);
});

test('A fault that is over excuses nothing', () => {
  const dueMs = FAULT.endMs + 1;
  assert.equal(
    [dueMs + LATE_MS, dueMs + LATE_MS + 1].map((arrivedMs) => tallied(arrivedMs, dueMs).late),
    [0, 1],
  );
});

test('A fault excuses from its begin to its end, and until now while it is in progress', async () => {
  const timeline = new Timeline();
  const beganMs = performance.now();
  await timeline.during('a fault', 3, async () => {
    const nowMs = performance.now();
    assert.is(timeline.freeMs(nowMs, nowMs + 1_000), 0);
  });
  const [fault] = timeline.faults;
  assert.ok(fault !== undefined && fault.startMs >= beganMs && fault.endMs <= performance.now());
  const afterMs = Math.ceil(performance.now());
  assert.is(timeline.freeMs(afterMs, afterMs + 1_000), 1_000);
});

test.run();
