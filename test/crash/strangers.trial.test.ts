import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sizeFrom } from './size-from.ts';
import { eachOnce, roundFor, roundsOf } from './strangers/faults.ts';
import { inOneRow, isGood, runStrangers } from './strangers/rounds.ts';
import { isKept, tallyInRow } from './strangers/tally.ts';

/** So many faults one after the other, instead of each once with all that it breaks looked at afterwards. */
const FAULTS = process.env.CRASH_FAULTS === undefined ? null : sizeFrom('CRASH_FAULTS', 0);
/** A fault each 20 s for so long. */
const MINUTES = process.env.CRASH_MINUTES === undefined ? null : sizeFrom('CRASH_MINUTES', 0);
const EVENTS_PER_S = sizeFrom('CRASH_EVENTS_PER_S', 50);
/** Each event goes to so many. */
const PHONES = sizeFrom('CRASH_PHONES', 12);

test('Faults of machines, database, clocks and network under load lose no event and break no promise', async () => {
  const expected = FAULTS !== null ? roundsOf(FAULTS) : MINUTES !== null ? [roundFor(MINUTES)] : eachOnce();
  const print = (line: string) => process.stdout.write(`\n${line}`);
  let faults = 0;
  const stop = new AbortController();
  process.once('SIGUSR2', () => stop.abort());
  const { rounds, kinds, machine, failedStarts } = await runStrangers({
    rounds: expected,
    aSecond: EVENTS_PER_S,
    phones: PHONES,
    signal: stop.signal,
    onReport: (report) => print(inOneRow(report)),
    onFault(what) {
      faults += 1;
      if (FAULTS !== null) print(`${faults} of ${FAULTS}: ${what}`);
    },
  });
  print('| kind | promised | lost | late | slowest | without a fault | after the first fault |');
  for (const kind of kinds) print(tallyInRow(kind));
  for (const why of failedStarts) print(`started again: ${why}`);
  print(`${machine}\n`);
  assert.is(rounds.length, expected.length);
  assert.equal(rounds.filter((report) => !isGood(report)).map(inOneRow), []);
  assert.equal(kinds.filter((kind) => !isKept(kind)).map(tallyInRow), []);
});

test.run();
