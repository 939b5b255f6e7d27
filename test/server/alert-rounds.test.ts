import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { alertRounds } from '../../src/server/timed-work.ts';
import { type NextRound, type Round, StoreUnavailable } from '../../src/store/calls.ts';
import { SimulatedClock } from '../support/simulation.ts';

/** A store that answers in this order, then always as the last time. */
function rounds(...answers: readonly (NextRound | Error)[]) {
  const clock = new SimulatedClock(0);
  const asked: [string, number][] = [];
  const lines: string[] = [];
  const left = [...answers];
  const touched: (() => void)[] = [];
  const store = {
    async nextRound() {
      asked.push(['next', clock.steadyMs()]);
      const answer = left.length > 1 ? left.shift() : left[0];
      if (answer instanceof Error) throw answer;
      return answer as NextRound;
    },
    async runRound() {
      asked.push(['run', clock.steadyMs()]);
      return { reminders: 1, ended: { expired: 1 }, workspaces: [1] };
    },
    onTouched: (_: string, listener: () => void) => void touched.push(listener),
  };
  const log = pino({ base: null }, { write: (line) => lines.push(line) });
  const ended: Round['ended'][] = [];
  const loop = alertRounds({ store, after: clock.after, log, onEnded: (alerts) => ended.push(alerts) });
  loop.start();
  return { clock, asked, ended, lines, loop, touch: () => touched.forEach((listener) => void listener()) };
}

const IDLE: NextRound = { inMs: null, soonestMs: null };

test('if no channel insists there is one look and no timer, until one does', async () => {
  const { clock, asked, touch } = rounds(IDLE, { inMs: null, soonestMs: 60_000 });
  await clock.run(3_600_000);
  assert.equal(asked, [['next', 0]]);
  touch();
  await clock.run(1);
  assert.is(asked.length, 2);
  await clock.run(30_000);
  assert.is(asked.length, 3, 'an alert that another server has opened is found in time');
});

test('a round is run when it is due, and never before', async () => {
  const { clock, asked, ended } = rounds(
    { inMs: 60_000, soonestMs: 60_000 },
    { inMs: 30_000, soonestMs: 60_000 },
    { inMs: 0, soonestMs: 60_000 },
    IDLE,
  );
  await clock.run(61_000);
  assert.equal(asked, [
    ['next', 0],
    ['next', 30_000],
    ['next', 60_000],
    ['run', 60_000],
    ['next', 60_050],
  ]);
  assert.equal(ended, [{ expired: 1 }], 'what has ended is counted');
});

test('a channel whose alerts ring soon is looked at as often, so that no first ring is late', async () => {
  const { clock, asked } = rounds(...Array.from({ length: 5 }, () => ({ inMs: null, soonestMs: 5_000 })));
  await clock.run(15_000);
  assert.equal(
    asked.map(([, atMs]) => atMs),
    [0, 5_000, 10_000, 15_000],
  );
});

test('a store that cannot be asked is asked again; only a bug is logged', async () => {
  const away = rounds(new StoreUnavailable('away'), IDLE);
  await away.clock.run(5_000);
  assert.equal([away.asked.length, away.lines.length], [2, 0]);
  const broken = rounds(new Error('a slip'), IDLE);
  await broken.clock.run(5_000);
  assert.equal([broken.asked.length, broken.lines.length], [2, 1]);
});

test('once it is stopped it asks nothing more', async () => {
  const { clock, asked, loop, touch } = rounds({ inMs: 1_000, soonestMs: 60_000 });
  await clock.run(1);
  loop.stop();
  touch();
  await clock.run(60_000);
  assert.is(asked.length, 1);
});

test.run();
