import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RollingWindow, RollingWindows } from '../../../src/http/limits/rolling-windows.ts';

test('no 60 seconds ever hold more than the limit, and none that fits is refused', () => {
  const gaps = fc.array(fc.oneof(fc.nat(3_000), fc.nat(90_000), fc.constant(0)), { maxLength: 400 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), gaps, (limit, gapsMs) => {
      const window = new RollingWindow();
      const admitted: number[] = [];
      let nowMs = 1_000;
      for (const gapMs of gapsMs) {
        nowMs += gapMs;
        const within = admitted.filter((atMs) => nowMs - atMs <= 60_000).length;
        const admission = window.admit(limit, nowMs);
        assert.is(admission.admitted, within < limit);
        assert.is(admission.remaining, Math.max(0, limit - within - 1));
        if (admission.admitted) admitted.push(nowMs);
      }
    }),
  );
});

test('a client that waits as long as asked, plus the rounding of the clock, is admitted', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20_000), { minLength: 5, maxLength: 60 }), (gapsMs) => {
      const window = new RollingWindow();
      let nowMs = 0;
      for (const gapMs of gapsMs) {
        nowMs += gapMs;
        const { admitted, resetAfterMs } = window.admit(5, nowMs);
        assert.ok(resetAfterMs >= 0 && resetAfterMs <= 60_000);
        if (admitted) continue;
        nowMs += resetAfterMs + 1;
        assert.ok(window.admit(5, nowMs).admitted);
      }
    }),
  );
});

test('a limit that shrinks counts the uses admitted before', () => {
  const window = new RollingWindow();
  for (let at = 0; at < 10; at += 1) window.admit(10, at * 1_000);
  assert.equal(window.admit(3, 20_000), { admitted: false, limit: 3, remaining: 0, resetAfterMs: 47_000 });
});

test('an admission that is taken back makes room again', () => {
  const window = new RollingWindow(1_000);
  for (const atMs of [1, 2, 3]) window.admit(3, atMs);
  window.takeBack(2);
  window.takeBack(7);
  assert.ok(window.admit(3, 4).admitted);
  assert.not(window.admit(3, 5).admitted);
  assert.ok(window.admit(3, 1_002).admitted);
});

test('windows are apart for each name', () => {
  const windows = new RollingWindows();
  assert.ok(windows.admit('a', 1, 0).admitted);
  assert.not(windows.admit('a', 1, 0).admitted);
  assert.ok(windows.admit('b', 1, 0).admitted);
});

test('an idle window leaves the memory', () => {
  const windows = new RollingWindows();
  for (let at = 0; at < 1_000; at += 1) windows.admit(`key ${at}`, 60, at);
  windows.admit('late', 60, 200_000);
  assert.is(windows.size, 1);
});

test('a flood of names does not grow the memory, and returning names stay counted', () => {
  const windows = new RollingWindows(100);
  for (let at = 0; at < 10_000; at += 1) {
    windows.admit(`stranger ${at}`, 60, 0);
    assert.is(windows.admit('regular', 50, 0).admitted, at < 50);
  }
  assert.ok(windows.size <= 100);
});

test.run();
