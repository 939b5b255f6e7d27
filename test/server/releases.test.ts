import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { scheduledReleases } from '../../src/server/timed-work.ts';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { SimulatedClock } from '../support/simulation.ts';

const HOUR_MS = 3_600_000;

/** Over a store in which an event waits for each of these times of the wall clock. `aheadMs`: of that clock. */
function releases(times: readonly number[], fault: { error?: Error; until?: Promise<void> } = {}) {
  const clock = new SimulatedClock(0);
  const wall = { aheadMs: 0 };
  const wallMs = () => clock.steadyMs() + wall.aheadMs;
  const waiting = [...times];
  const sentAt: number[] = [];
  const looks: number[] = [];
  const lines: string[] = [];
  const touched: (() => void)[] = [];
  const store = {
    async nextRelease() {
      looks.push(clock.steadyMs());
      await fault.until;
      if (fault.error) throw fault.error;
      return { inMs: waiting.length === 0 ? null : Math.max(0, Math.min(...waiting) - wallMs()) };
    },
    async releaseDue() {
      const due = waiting.findIndex((time) => time <= wallMs());
      if (due !== -1) waiting.splice(due, 1);
      sentAt.push(clock.steadyMs());
      return { released: [] };
    },
    onTouched: (_: string, listener: () => void) => void touched.push(listener),
  };
  const log = pino({ base: null }, { write: (line) => lines.push(line) });
  const loop = scheduledReleases({ store, after: clock.after, log });
  loop.start();
  return {
    clock,
    wall,
    waiting,
    sentAt,
    looks,
    lines,
    loop,
    fault,
    touch: () => touched.forEach((listener) => void listener()),
  };
}

test('if nothing waits there is one look and no timer, until an event waits', async () => {
  const { clock, waiting, sentAt, looks, touch } = releases([]);
  await clock.run(HOUR_MS);
  assert.equal(looks, [0]);
  waiting.push(HOUR_MS + 10_000);
  touch();
  await clock.run(9_999);
  assert.equal(sentAt, []);
  await clock.run(2);
  assert.equal(sentAt, [HOUR_MS + 10_000]);
  const { length } = looks;
  await clock.run(HOUR_MS);
  assert.is(looks.length, length);
});

test('all that is due goes out at once, call by call, and the next at its time', async () => {
  const { clock, sentAt } = releases([1_000, 1_000, 1_000, 5_000]);
  await clock.run(1_010);
  assert.is(sentAt.length, 3);
  await clock.run(4_000);
  assert.equal(sentAt.slice(3), [5_000]);
});

test('a clock that is set forward is noticed within 30 seconds, and one set back waits for its time', async () => {
  const { clock, wall, sentAt } = releases([HOUR_MS, 3 * HOUR_MS]);
  await clock.run(60_001);
  wall.aheadMs = HOUR_MS;
  await clock.run(30_001);
  assert.is(sentAt.length, 1);
  wall.aheadMs = -HOUR_MS;
  await clock.run(3 * HOUR_MS);
  assert.is(sentAt.length, 1);
  await clock.run(HOUR_MS);
  assert.is(sentAt.length, 2);
});

test('a store that cannot be asked is asked again; only a bug is logged', async () => {
  const away = releases([], { error: new StoreUnavailable('away') });
  await away.clock.run(5_001);
  assert.equal([away.looks.length, away.lines.length], [2, 0]);
  const broken = releases([], { error: new Error('a slip') });
  await broken.clock.run(5_001);
  assert.equal([broken.looks.length, broken.lines.length], [2, 2]);
});

test('an event that throws holds up no other', async () => {
  const clock = new SimulatedClock(0);
  const waiting = ['a', 'broken', 'b', 'c'];
  const sent: string[] = [];
  const take = (place: number) => {
    if (waiting[place] === 'broken') throw new Error('a slip');
    return waiting.splice(place, 1);
  };
  const store = {
    nextRelease: async () => ({ inMs: waiting.length === 0 ? null : 0 }),
    /** A call without `skip` takes two, or nothing. */
    async releaseDue({ skip }: { skip?: number }) {
      if (skip === undefined && waiting.slice(0, 2).includes('broken')) throw new Error('a slip');
      const taken = take(skip ?? 0);
      sent.push(...taken);
      return { released: taken.map((publicId) => ({ workspaceId: 1, publicId })) };
    },
    onTouched() {},
  };
  scheduledReleases({ store, after: clock.after, log: pino({ level: 'silent' }) }).start();
  await clock.run(1);
  assert.equal([sent, waiting], [['a', 'b', 'c'], ['broken']]);
});

test('one that is woken while it rests, or stopped while it is at work, leaves no timer behind', async () => {
  const { clock, loop, fault, touch } = releases([10_000]);
  await clock.run(1_000);
  touch();
  await clock.settle();
  assert.is(clock.timers, 1);
  const away = Promise.withResolvers<void>();
  fault.until = away.promise;
  touch();
  loop.stop();
  away.resolve();
  await clock.settle();
  assert.is(clock.timers, 0);
});

test('once it is stopped it asks nothing more', async () => {
  const { clock, looks, loop, touch } = releases([1_000]);
  await clock.run(1);
  loop.stop();
  touch();
  await clock.run(60_000);
  assert.is(looks.length, 1);
});

test.run();
