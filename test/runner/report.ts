import { withSourcePlaces } from '../../src/process/source-places.ts';
import { usedCpuS } from './used-cpu.ts';
import { hasFailed, type Verdict } from './verdict.ts';

export interface Report extends Verdict {
  readonly name: string;
  readonly tookS: number;
  /** The first run of a file that passed when it ran once more. */
  readonly flaky?: Report | undefined;
}

/** A phase that has ended. */
export interface Done {
  readonly title: string;
  readonly tookS: number;
}

/** More flaky files than this are a fault of their own. */
const MOST_FLAKY = 3;
/** So many of the slowest files are named at the end of a longer run. */
const SLOWEST = 10;

/** `isWhole`: prints what a file that passed wrote, too. Trials print figures and where their pictures are. */
export function printReport(report: Report, isWhole = false): void {
  const mark = hasFailed(report) ? 'FAIL ' : report.flaky ? 'FLAKY' : 'ok   ';
  print(`${mark} ${report.name}  ${counts(report)}  ${times(report)}`);
  for (const line of report.skipReasons) print(`      ${line}`);
  if (hasFailed(report)) printFailure(report);
  else if (isWhole) printOutput(report);
}

export function hasRunFailed(reports: readonly Report[]): boolean {
  return reports.length === 0 || reports.some(hasFailed) || flakyIn(reports).length > MOST_FLAKY;
}

/** Prints what failed, what was flaky, the slowest files and the time of each phase; at the very end the count. */
export function summarise(reports: readonly Report[], phases: readonly Done[], isRetried: boolean): void {
  const failures = reports.filter(hasFailed);
  if (failures.length > 0) print('\nFailed:');
  for (const { name, faults, failedTests } of failures) {
    print(`  ${name}: ${faults.join('; ')}`);
    for (const test of failedTests) print(`    ${withSourcePlaces(test)}`);
  }
  if (reports.length > SLOWEST) print(`\nThe slowest files:\n${slowest(reports)}`);
  print(`\n${phases.map(({ title, tookS }) => `${title}: ${minutes(tookS)}`).join(', ')}`);

  const flaky = flakyIn(reports);
  if (flaky.length > 0) print('\nFailed at first, and passed alone:');
  for (const report of flaky) {
    print(`FLAKY ${report.name}`);
    printFailure(report);
  }
  const sum = (count: (report: Report) => number) => reports.reduce((total, report) => total + count(report), 0);
  if (flaky.length > MOST_FLAKY) print(`\nMore than ${MOST_FLAKY} files are flaky: the run has failed.`);
  const failed = sum(({ failed }) => failed);
  const total = {
    passed: sum(({ passed }) => passed),
    // A search that found no test has failed, too.
    failed: failed === 0 && hasRunFailed(reports) ? Math.max(1, flaky.length) : failed,
    skipped: sum(({ skipped }) => skipped),
  };
  const cpuS = usedCpuS();
  const inCpu = cpuS === null ? '' : `, ${cpuS.toFixed(0)} s of CPU`;
  print(`\n${sum(({ assertions }) => assertions)} assertions${inCpu}`);
  if (isRetried) print(`${flaky.length} flaky`);
  print(counts(total));
}

function flakyIn(reports: readonly Report[]): readonly Report[] {
  return reports.flatMap((report) => report.flaky ?? []);
}

function printFailure(report: Report): void {
  printOutput(report);
  for (const fault of report.faults) print(`      ${report.name}: ${fault}`);
}

function printOutput({ output }: Report): void {
  process.stdout.write(withSourcePlaces(output).trimEnd().replace(/^/gm, '      | ').concat('\n'));
}

function slowest(reports: readonly Report[]): string {
  const first = reports.toSorted((a, b) => b.tookS - a.tookS).slice(0, SLOWEST);
  return first.map((report) => `  ${times(report).padStart(24)}  ${report.name}`).join('\n');
}

function times({ tookS, cpuS }: Report): string {
  return `${tookS.toFixed(1)} s (CPU ${cpuS.toFixed(1)} s)`;
}

function minutes(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

function counts({ passed, failed, skipped }: { passed: number; failed: number; skipped: number }): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
