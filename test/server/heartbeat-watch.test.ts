import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { heartbeatWatch } from '../../src/server/timed-work.ts';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { SimulatedClock } from '../support/simulation.ts';

const test = suite('heartbeat watch');

test('If there is no heartbeat the store is asked once, and again when a heartbeat is added', async () => {
  const { clock, askedAtMs, touch } = watching(null, null, 10_000, 4_000);
  await clock.run(3_600_000);
  assert.equal(askedAtMs, [0]);
  touch();
  await clock.run(3_600_000);
  assert.equal(askedAtMs, [0, 3_600_000]);
  touch();
  await clock.run(15_000);
  assert.equal(askedAtMs, [0, 3_600_000, 7_200_000, 7_210_000, 7_214_000]);
});

test('One that is added while the store is asked has it asked again', async () => {
  const { clock, askedAtMs, touch } = watching(null);
  touch();
  await clock.run(1_000);
  assert.is(askedAtMs.length, 2);
});

test('A store that cannot write is asked again ten seconds later, and nothing is asked after the end', async () => {
  const { clock, askedAtMs, lines, watch } = watching(new StoreUnavailable('full'), new Error('a bug'), 10_000);
  await clock.run(25_000);
  assert.equal(askedAtMs, [0, 10_000, 20_000]);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', 'a bug');
  watch.stop();
  await clock.run(60_000);
  assert.is(askedAtMs.length, 3);
});

test.run();

/** A store that answers in this order, then always that there is none. */
function watching(...answers: readonly (number | null | Error)[]) {
  const clock = new SimulatedClock(0);
  const askedAtMs: number[] = [];
  const lines: string[] = [];
  const left = [...answers];
  let touch = () => {};
  const store = {
    async tendHeartbeats() {
      askedAtMs.push(clock.steadyMs());
      const answer = left.shift() ?? null;
      if (answer instanceof Error) throw answer;
      return { nextInMs: answer, posted: [] };
    },
    onTouched: (_: string, listener: () => void) => {
      touch = listener;
    },
  };
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  const watch = heartbeatWatch({ store, after: clock.after, log });
  watch.start();
  return { clock, askedAtMs, lines, watch, touch: () => touch() };
}
