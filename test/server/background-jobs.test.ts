import pino from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CircuitBreaker } from '../../src/delivery/circuit-breaker.ts';
import { ClockWatch } from '../../src/server/background-jobs.ts';
import { aTarget } from '../support/pushes.ts';
import { SimulatedClock } from '../support/simulation.ts';

test('A clock that is set, on or back, is noticed once within seconds, and one that runs is not', async () => {
  const steady = new SimulatedClock();
  let offMs = 0;
  const clock = { wallMs: () => steady.wallMs() + offMs, steadyMs: () => steady.steadyMs() };
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  let jumps = 0;
  const watch = new ClockWatch({ clock, after: steady.after, log, onJump: () => (jumps += 1) });
  watch.start();
  await steady.run(600_000);
  assert.is(jumps, 0);
  for (const byMs of [86_400_000, -7_200_000]) {
    offMs += byMs;
    const before = jumps;
    await steady.run(5_000);
    assert.is(jumps, before + 1);
    assert.match(lines.at(-1) ?? '', `"seconds":${byMs / 1_000}`);
    await steady.run(600_000);
    assert.is(jumps, before + 1);
  }
  watch.stop();
});

test('Pushes refused for their signature are retried at once then, and pushes that the provider delays are not', () => {
  const policy = { retryFirstMs: 5_000, retryBusyFirstMs: 60_000, retryMaxMs: 900_000 };
  const pausedBy = (outcome: { kind: 'unauthorized' | 'unavailable'; reason: string; retryAfterS?: number }) => {
    const breaker = new CircuitBreaker('fcm', policy, 0, () => 1);
    const answers = [{ index: 0, deviceId: 1, outcome, fitted: false }];
    breaker.judge({ answers, targets: [aTarget({})], turn: 0 }, 0);
    breaker.tryRefused(1);
    return breaker.pause?.nextProbeMs;
  };
  assert.is(pausedBy({ kind: 'unauthorized', reason: 'access_token_refused' }), 1);
  assert.is(pausedBy({ kind: 'unavailable', reason: 'QUOTA_EXCEEDED', retryAfterS: 60 }), 66_000);
});

test.run();
