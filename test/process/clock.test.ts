import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Lease, systemAfter, thisInstant, within } from '../../src/process/clock.ts';
import { SimulatedClock } from '../support/simulation.ts';

const DAY_MS = 86_400_000;
const WAITS_MS = [2, 1.9, 1, 0.5, 0, -1];

test('a timer waits as long as it was asked to, also for longer than one of Node can', () => {
  for (const ms of [90_000, 100 * DAY_MS]) assert.is(waited(ms), ms);
});

test('simulated timers fire in the order of real ones', async () => {
  const simulated: number[] = [];
  const clock = new SimulatedClock();
  for (const ms of WAITS_MS) clock.after(ms, () => simulated.push(ms));
  await clock.run(1);
  assert.equal(simulated, [1.9, 1, 0.5, 0, -1]);
  await clock.run(1);
  let real = await realOrder();
  // Time may have passed while they were set, which changes their order.
  for (let tries = 1; tries < 20 && String(real) !== String(simulated); tries += 1) real = await realOrder();
  assert.equal(simulated, real);
});

test('a limit in time leaves no timer behind if the answer was quicker', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  assert.is(await within(60_000, Promise.resolve(1), 2), 1);
  assert.is(timers(), before);
});

async function realOrder(): Promise<readonly number[]> {
  const fired: number[] = [];
  await Promise.all(
    WAITS_MS.map((ms) => new Promise<void>((resolve) => systemAfter(ms, () => resolve(void fired.push(ms))))),
  );
  return fired;
}

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

const HOUR_MS = 3_600_000;

test('A lease counts from the moment at which it was asked for, and before that there is none', () => {
  const lease = new Lease();
  assert.ok(lease.isOver);
  lease.renew(thisInstant(), HOUR_MS);
  assert.not(lease.isOver);
  const { steadyNs, wallMs } = thisInstant();
  lease.renew({ steadyNs: steadyNs - BigInt(HOUR_MS) * 1_000_000n, wallMs: wallMs - HOUR_MS }, HOUR_MS);
  assert.ok(lease.isOver);
});

test('A lease is over by whichever clock says so: one stands still while the machine sleeps, the other may be set', () => {
  const now = thisInstant();
  const before = { steadyNs: now.steadyNs - BigInt(HOUR_MS) * 1_000_000n, wallMs: now.wallMs - HOUR_MS };
  const lease = new Lease();
  lease.renew({ ...now, wallMs: before.wallMs }, HOUR_MS);
  assert.ok(lease.isOver);
  lease.renew({ ...now, steadyNs: before.steadyNs }, HOUR_MS);
  assert.ok(lease.isOver);
  lease.renew(now, HOUR_MS);
  lease.giveUp();
  assert.ok(lease.isOver);
});

test.run();
