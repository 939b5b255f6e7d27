/**
 * `npm run test:crash [-- --rounds N]`: N rounds of kill -9 under load, half of them with flapping providers, and a
 * fifth as many graceful stops. Prints a line for each, and fails where anything was lost.
 */
import { parseArgs } from 'node:util';
import { inOneLine, isGood, runCrash } from './crash.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
const rounds = Number(values.rounds);
if (!(Number.isInteger(rounds) && rounds > 0))
  throw new Error(`--rounds is a whole number above 0, not "${values.rounds}"`);

const reports = [
  await runCrash({ rounds, signal: 'SIGKILL', flapping: true }),
  await runCrash({ rounds: Math.ceil(rounds / 5), signal: 'SIGTERM', flapping: false }),
];
for (const report of reports) process.stdout.write(`${inOneLine(report)}\n`);
process.exitCode = reports.every(isGood) ? 0 : 1;
