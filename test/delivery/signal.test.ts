import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { afterReal, Signal } from '../../src/delivery/signal.ts';
import { SimulatedClock } from '../support/simulation.ts';

const DAY_MS = 86_400_000;
const signal = suite('signal');

signal('a wait is as long as it was asked for, also where it is longer than a minute, and than a timer can be', () => {
  for (const ms of [90_000, 100 * DAY_MS]) assert.is(waited(ms), ms);
});

signal('a wait ends at its time, however long, and at a wake-up before it', async () => {
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

signal.run();

/** How long after the call it fires, by timers and a clock that pass at once. */
function waited(ms: number): number {
  const { setTimeout: realTimeout } = globalThis;
  const { now } = performance;
  let nowMs = 0;
  let firedAtMs = -1;
  const due: (() => void)[] = [];
  performance.now = () => nowMs;
  globalThis.setTimeout = ((fn: () => void, timerMs: number) => {
    assert.ok(timerMs < 2 ** 31, 'Node would fire at once');
    due.push(() => {
      nowMs += timerMs;
      fn();
    });
  }) as never;
  try {
    afterReal(ms, () => {
      firedAtMs = nowMs;
    });
    for (let fire = due.shift(); fire; fire = due.shift()) fire();
  } finally {
    globalThis.setTimeout = realTimeout;
    performance.now = now;
  }
  return firedAtMs;
}
