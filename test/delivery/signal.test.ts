import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Signal } from '../../src/delivery/pacing.ts';
import { SimulatedClock } from '../support/simulation.ts';

test('a wait of any length ends at its time, or earlier at a wake-up', async () => {
  const clock = new SimulatedClock(0);
  const waiting = new Signal(clock.after);
  let endedAtMs = 0;
  const wait = async (ms: number) => {
    await waiting.wait(ms);
    endedAtMs = clock.steadyMs();
  };
  void wait(799_000);
  await clock.run(800_000);
  assert.is(endedAtMs, 799_000);
  void wait(Number.POSITIVE_INFINITY);
  clock.after(1_000, () => waiting.set());
  await clock.run(2_000);
  assert.is(endedAtMs, 801_000);
});

test('a wait that is woken leaves no timer behind', async () => {
  const clock = new SimulatedClock(0);
  const waiting = new Signal(clock.after);
  const wait = waiting.wait(60_000);
  waiting.set();
  await wait;
  assert.is(clock.timers, 0);
});

test.run();
