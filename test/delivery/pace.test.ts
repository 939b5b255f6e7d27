import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Pace } from '../../src/delivery/pace.ts';

const pace = suite('pace');

pace("no minute ever sees more than the quota and one second's worth of saved-up room", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(200), fc.nat(3_000)), { minLength: 1, maxLength: 200 }), (steps) => {
      const perMinute = 6_000;
      const limit = new Pace(perMinute, 0);
      const sends: { atMs: number; count: number }[] = [];
      let nowMs = 0;
      for (const [count, pauseMs] of steps) {
        nowMs += pauseMs;
        sends.push({ atMs: nowMs + limit.take(count, nowMs), count });
      }
      for (const { atMs } of sends) {
        const inMinute = sends.filter((send) => send.atMs > atMs - 60_000 && send.atMs <= atMs);
        const total = inMinute.reduce((sum, { count }) => sum + count, 0);
        assert.ok(total <= perMinute + perMinute / 60 + 200, `${total}`);
      }
    }),
  );
});

pace('what fits goes at once, what does not waits for its share', () => {
  const limit = new Pace(600, 0);
  assert.is(limit.take(10, 0), 0);
  assert.is(limit.take(10, 0), 1_000);
  assert.is(limit.take(10, 0), 2_000);
  assert.is(limit.take(1, 10_000), 0);
});

pace.run();
