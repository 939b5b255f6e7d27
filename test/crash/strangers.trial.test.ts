import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sizeFrom } from './size-from.ts';
import { FAULTS, faultsFor } from './strangers/faults.ts';
import { inOneRow, isGood, runStrangers } from './strangers/rounds.ts';

/** Runs a fault each 20 s for so long, instead of each fault once with all that it breaks looked at afterwards. */
const MINUTES = process.env.CRASH_MINUTES === undefined ? null : sizeFrom('CRASH_MINUTES', 0);
const EVENTS_PER_S = sizeFrom('CRASH_EVENTS_PER_S', 50);
/** Each event goes to so many. */
const PHONES = sizeFrom('CRASH_PHONES', 12);

test('Faults of machines, database, clocks and network under load lose no event and break no promise', async () => {
  const faults = MINUTES === null ? FAULTS : [faultsFor(MINUTES)];
  const reports = await runStrangers({
    faults,
    aSecond: EVENTS_PER_S,
    phones: PHONES,
    onReport: (report) => process.stdout.write(`\n${inOneRow(report)}`),
  });
  process.stdout.write('\n');
  assert.is(reports.length, faults.length);
  assert.equal(reports.filter((report) => !isGood(report)).map(inOneRow), []);
});

test.run();
