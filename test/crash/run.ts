/**
 * `npm run test:crash [-- --rounds N]`: N rounds of kill -9 under load, half of them with flapping providers, and a
 * fifth as many graceful stops; then the faults of strangers/ to three machines over PostgreSQL. Prints a line for each,
 * and fails where anything was lost, or another promise broken. `--only one` or `--only three`: machines. `--minutes M
 * [--a-second N]`: instead, N events a second for so long to three machines, with a fault each 20 s.
 */
import { parseArgs } from 'node:util';
import { inOneLine, isGood, runCrash } from './crash.ts';
import { faultsFor } from './strangers/faults.ts';
import * as strangers from './strangers/rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    only: { type: 'string' },
    minutes: { type: 'string' },
    'a-second': { type: 'string', default: '50' },
  },
});
const rounds = wholeNumber('rounds');
const minutes = values.minutes === undefined ? null : wholeNumber('minutes');
const aSecond = wholeNumber('a-second');

let isAllGood = true;
if (values.only !== 'three' && minutes === null) {
  const reports = [
    await runCrash({ rounds, signal: 'SIGKILL', flapping: true }),
    await runCrash({ rounds: Math.ceil(rounds / 5), signal: 'SIGTERM', flapping: false }),
  ];
  for (const report of reports) process.stdout.write(`${inOneLine(report)}\n`);
  isAllGood = reports.every(isGood);
}
if (values.only !== 'one') {
  const reports = await strangers.runStrangers({
    ...(minutes !== null && { faults: [faultsFor(minutes)] }),
    aSecond,
    onReport: (report) => process.stdout.write(`${strangers.inOneRow(report)}\n`),
  });
  isAllGood &&= reports.every(strangers.isGood);
}
process.exitCode = isAllGood ? 0 : 1;

function wholeNumber(option: 'rounds' | 'minutes' | 'a-second'): number {
  const number = Number(values[option]);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${option} is a whole number above 0, not "${values[option]}"`);
}
