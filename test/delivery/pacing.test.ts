import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Signal, TokenBucket } from '../../src/delivery/pacing.ts';
import { SimulatedClock } from '../support/simulation.ts';

test('no sixty seconds ever see more than the quota', () => {
  const pauses = fc.array(fc.nat(3_000), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(fc.constantFrom(1, 7, 60, 61, 600, 6_000), pauses, (perMinute, pausesMs) => {
      const quota = new TokenBucket(perMinute, 0);
      const sends: { atMs: number; count: number }[] = [];
      let nowMs = 0;
      for (const pauseMs of pausesMs) {
        nowMs += pauseMs;
        const count = quota.available(nowMs);
        quota.take(count);
        sends.push({ atMs: nowMs, count });
      }
      for (const { atMs } of sends) {
        const inMinute = sends.filter((send) => send.atMs > atMs - 60_000 && send.atMs <= atMs);
        const total = inMinute.reduce((sum, { count }) => sum + count, 0);
        assert.ok(total <= perMinute, `${total} of ${perMinute}`);
      }
    }),
  );
});

test('after the wait that it returns there is room for one', () => {
  const quota = new TokenBucket(90, 0);
  quota.take(quota.available(0));
  for (let nowMs = 0; nowMs < 600_000; ) {
    nowMs += quota.waitMs(nowMs);
    assert.is(quota.available(nowMs), 1);
    quota.take(1);
  }
});

test('the whole quota is used over the minutes', () => {
  for (const perMinute of [1, 60, 6_000]) {
    const quota = new TokenBucket(perMinute, 0);
    let sent = 0;
    for (let nowMs = 0; nowMs < 600_000; nowMs += Math.max(1, quota.waitMs(nowMs))) {
      const count = quota.available(nowMs);
      quota.take(count);
      sent += count;
    }
    assert.ok(sent >= 10 * perMinute * 0.98, `${sent} of ${10 * perMinute}`);
  }
});

test('processes that share a quota keep it together, while they come and go', () => {
  const steps = fc.array(fc.record({ pauseMs: fc.nat(20_000), wanted: fc.constantFrom(1, 2, 3, 5) }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(fc.constantFrom(60, 61, 100, 610, 6_000), steps, (perMinute, all) => {
      let processes: TokenBucket[] = [new TokenBucket(perMinute, 0)];
      const sends: { atMs: number; count: number }[] = [];
      let nowMs = 0;
      for (const { pauseMs, wanted } of all) {
        const untilMs = nowMs + pauseMs;
        while (nowMs < untilMs) {
          nowMs = Math.min(untilMs, nowMs + 500);
          for (const quota of processes) {
            const count = quota.available(nowMs);
            quota.take(count);
            sends.push({ atMs: nowMs, count });
          }
        }
        const come = Array.from({ length: wanted - processes.length }, () => new TokenBucket(perMinute, nowMs));
        processes = [...processes, ...come].slice(0, wanted);
        for (const quota of processes) quota.divide(wanted, nowMs);
      }
      for (const { atMs } of sends) {
        const inMinute = sends.filter((send) => send.atMs > atMs - 60_000 && send.atMs <= atMs);
        const total = inMinute.reduce((sum, { count }) => sum + count, 0);
        assert.ok(total <= perMinute, `${total} of ${perMinute}`);
      }
    }),
    { numRuns: 30, seed: 17 },
  );
});

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
