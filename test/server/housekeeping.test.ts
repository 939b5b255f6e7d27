import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Housekeeping } from '../../src/server/housekeeping.ts';
import { type PruneAnswer, StoreUnavailable } from '../../src/store/calls.ts';
import { SimulatedClock } from '../support/simulation.ts';

const DONE = { done: true, isPressing: false, isTooLarge: false, isHeld: false };
const MORE = { done: false, isPressing: false, isTooLarge: false, isHeld: false };
const TOO_LARGE = { done: true, isPressing: false, isTooLarge: true, isHeld: false };
const HELD = { ...DONE, isHeld: true };
const PRESSING = { ...MORE, isPressing: true };

/** A store that answers in this order, then always that it is done. */
function keeping(...answers: readonly (PruneAnswer | Error)[]) {
  const clock = new SimulatedClock(0);
  const calledAtMs: number[] = [];
  const lines: string[] = [];
  const left = [...answers];
  const during: (() => void)[] = [];
  let stepMs = 0;
  const store = {
    pruneStep: async () => {
      calledAtMs.push(clock.steadyMs());
      for (const act of during.splice(0)) act();
      if (stepMs > 0) await new Promise<void>((resolve) => clock.after(stepMs, resolve));
      const answer = left.shift() ?? DONE;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const log = pino({ base: null }, { write: (line) => lines.push(line) });
  const housekeeping = new Housekeeping({ store, clock, after: clock.after, log });
  housekeeping.start();
  const takes = (ms: number) => {
    stepMs = ms;
  };
  /** During the next call. */
  const onCall = (act: () => void) => void during.push(act);
  return { clock, calledAtMs, lines, housekeeping, onCall, takes };
}

test('At the start and then once a minute the store prunes, step by step with rests between, until it is done', async () => {
  const { clock, calledAtMs, housekeeping } = keeping(MORE, MORE, DONE);
  await clock.run(121_000);
  assert.equal(calledAtMs, [10, 20, 30, 60_030, 120_030]);
  housekeeping.stop();
  await clock.run(600_000);
  assert.is(calledAtMs.length, 5);
});

test('It starts again before the minute is over if there is something to do, also while it is at work', async () => {
  const { clock, calledAtMs, housekeeping } = keeping();
  await clock.run(1_000);
  housekeeping.wake();
  await clock.run(1_000);
  assert.equal(calledAtMs, [10, 1_010]);
  const atWork = keeping();
  atWork.onCall(() => atWork.housekeeping.wake());
  await atWork.clock.run(1_000);
  assert.equal(atWork.calledAtMs, [10, 20]);
});

test('One that is woken while it rests, or stopped while it is at work, leaves no timer behind', async () => {
  const { clock, calledAtMs, housekeeping, onCall } = keeping();
  await clock.run(1_000);
  housekeeping.wake();
  assert.is(clock.timers, 1);
  onCall(() => housekeeping.stop());
  await clock.run(1_000);
  assert.equal([calledAtMs, clock.timers], [[10, 1_010], 0]);
});

test('It rests four times as long as a step takes, but as long as one that is pressing', async () => {
  const { clock, calledAtMs, takes } = keeping(MORE, PRESSING, DONE);
  takes(100);
  await clock.run(2_000);
  assert.equal(calledAtMs, [10, 510, 710]);
});

test('While the disk is full it tries again a minute later', async () => {
  const { clock, calledAtMs } = keeping(new StoreUnavailable('disk full'));
  await clock.run(120_000);
  assert.equal(calledAtMs, [10, 60_010]);
});

test('A database that cannot be made small enough is logged once', async () => {
  const { clock, lines } = keeping(TOO_LARGE, TOO_LARGE, DONE, TOO_LARGE);
  await clock.run(300_000);
  assert.is(lines.length, 2);
  assert.match(lines[0] ?? '', 'retention.max_size');
});

test('A clock that is held is logged once for each hold', async () => {
  const { clock, lines } = keeping(HELD, HELD, DONE, HELD);
  await clock.run(300_000);
  assert.is(lines.length, 2);
  assert.match(lines[0] ?? '', 'more than a day ahead');
});

test.run();
