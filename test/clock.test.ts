import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemAfter } from '../src/clock.ts';

const DAY_MS = 86_400_000;

test('a timer waits as long as it was asked to, also for longer than one of Node can', () => {
  for (const ms of [90_000, 100 * DAY_MS]) assert.is(waited(ms), ms);
});

test.run();

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
    systemAfter(ms, () => {
      firedAtMs = nowMs;
    });
    for (let fire = due.shift(); fire; fire = due.shift()) fire();
  } finally {
    globalThis.setTimeout = realTimeout;
    performance.now = now;
  }
  return firedAtMs;
}
