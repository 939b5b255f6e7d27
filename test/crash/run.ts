/**
 * `npm run test:crash [-- --rounds N]`: N rounds of kill -9 under load, half of them with flapping providers, and a
 * fifth as many graceful stops; then the faults of strangers/ to three machines over PostgreSQL. Prints a line for each,
 * and fails where anything was lost, or another promise broken. `--only one` or `--only three`: machines.
 *
 * Instead, each for a machine that does nothing else, and within ten minutes unless more is asked for:
 *
 * - `--minutes M [--a-second N] [--phones N]`: so many events a second, each to so many devices, to three machines, with
 *   a fault each 20 s.
 * - `--waiting N [--seconds S]`: what `/readyz`, a post and questions about the queue take beside N events that wait.
 * - `--statements M [--a-second N] [--phones N]`: what the database is asked by two machines in M minutes, and how long
 *   it takes.
 */
import { parseArgs } from 'node:util';
import { inOneLine, isGood, runCrash } from './crash.ts';
import { faultsFor } from './strangers/faults.ts';
import * as strangers from './strangers/rounds.ts';
import { statements } from './trials/statements.ts';
import { waiting } from './trials/waiting.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    only: { type: 'string' },
    minutes: { type: 'string' },
    'a-second': { type: 'string', default: '50' },
    phones: { type: 'string', default: '12' },
    waiting: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    statements: { type: 'string' },
  },
});
const aSecond = wholeNumber('a-second');
const phones = wholeNumber('phones');

if (values.waiting !== undefined) {
  await print(waiting({ events: wholeNumber('waiting'), seconds: wholeNumber('seconds') }));
} else if (values.statements !== undefined) {
  await print(statements({ minutes: wholeNumber('statements'), aSecond, phones }));
} else {
  process.exitCode = (await faults()) ? 0 : 1;
}

async function print(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) process.stdout.write(`${line}\n`);
}

/** Returns whether nothing was lost, and no promise broken. */
async function faults(): Promise<boolean> {
  const minutes = values.minutes === undefined ? null : wholeNumber('minutes');
  const isOneGood = values.only === 'three' || minutes !== null || (await ofOne(wholeNumber('rounds')));
  if (values.only === 'one') return isOneGood;
  const reports = await strangers.runStrangers({
    ...(minutes !== null && { faults: [faultsFor(minutes)] }),
    aSecond,
    phones,
    onReport: (report) => process.stdout.write(`${strangers.inOneRow(report)}\n`),
  });
  return isOneGood && reports.every(strangers.isGood);
}

async function ofOne(rounds: number): Promise<boolean> {
  const reports = [
    await runCrash({ rounds, signal: 'SIGKILL', flapping: true }),
    await runCrash({ rounds: Math.ceil(rounds / 5), signal: 'SIGTERM', flapping: false }),
  ];
  for (const report of reports) process.stdout.write(`${inOneLine(report)}\n`);
  return reports.every(isGood);
}

function wholeNumber(option: keyof typeof values): number {
  const number = Number(values[option]);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${option} is a whole number above 0, not "${values[option]}"`);
}
