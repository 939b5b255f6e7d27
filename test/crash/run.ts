/**
 * `npm run test:crash [-- --rounds N]`: N rounds of kill -9 under load, half of them with flapping providers, and a
 * fifth as many graceful stops; then the faults of strangers/ to three machines over PostgreSQL. Prints a line for each,
 * and fails where anything was lost, or another promise broken. `--only one` or `--only three`: machines.
 */
import { parseArgs } from 'node:util';
import { inOneLine, isGood, runCrash } from './crash.ts';
import * as strangers from './strangers/rounds.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, only: { type: 'string' } },
});
const rounds = Number(values.rounds);
if (!(Number.isInteger(rounds) && rounds > 0))
  throw new Error(`--rounds is a whole number above 0, not "${values.rounds}"`);

let isAllGood = true;
if (values.only !== 'three') {
  const reports = [
    await runCrash({ rounds, signal: 'SIGKILL', flapping: true }),
    await runCrash({ rounds: Math.ceil(rounds / 5), signal: 'SIGTERM', flapping: false }),
  ];
  for (const report of reports) process.stdout.write(`${inOneLine(report)}\n`);
  isAllGood = reports.every(isGood);
}
if (values.only !== 'one') {
  const reports = await strangers.runStrangers((report) => process.stdout.write(`${strangers.inOneRow(report)}\n`));
  isAllGood &&= reports.every(strangers.isGood);
}
process.exitCode = isAllGood ? 0 : 1;
