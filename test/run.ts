/**
 * Runs the built tests: `npm test [-- [--timeout SECONDS] [--root FOLDER] [part of a file's path]…]`. The long ones, whose
 * names end with `.ci.test.ts` or `.trial.test.ts`, are left to `npm run test:long`, which gives
 * `--long`, as is PostgreSQL: what must hold over both databases is tried over SQLite first. With `--all` it runs all.
 *
 * uvu takes a hook that threw, a forgotten `.run()` or an early `process.exit(0)` for success, and waits for ever for
 * an open handle. So each file runs in a process of its own (runner/file.ts), and its output has to prove that it
 * passed (runner/verdict.ts). At the end it names the slowest files, and counts assertions. The last line is `N passed, N failed`, with `, N skipped` where there were any.
 */
import { readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { runFile } from './runner/file.ts';
import { makeFolder, makeScratch } from './runner/scratch.ts';
import { sharedCluster } from './runner/shared-cluster.ts';
import { withSourcePlaces } from './runner/source-places.ts';
import { usedCpuS } from './runner/used-cpu.ts';
import { hasFailed, type Verdict } from './runner/verdict.ts';
import { ENGINE_NAMES, ENGINES, type EngineName, triesEachEngine } from './support/engine-names.ts';
import { SHARED_FOLDER } from './support/made-once.ts';

/** The tier of a test file stands in its name: `.ci.test.ts` is `npm run test:ci`'s, `.trial.test.ts` `npm run test:trials`'. */
const LONG_ENDING = /\.(?:ci|trial)\.test\.js$/;
/** Of a file, unless set otherwise. Some boot machine after machine. */
const LIMIT_S = 300;
const LONG_LIMIT_S = 1_200;

/** So many of the slowest files are named at the end of a run of more. */
const SLOWEST = 10;

interface Report extends Verdict {
  readonly name: string;
  readonly tookS: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    timeout: { type: 'string', ...(process.env.TEST_TIMEOUT_S && { default: process.env.TEST_TIMEOUT_S }) },
    root: { type: 'string', default: import.meta.dirname },
    long: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
});
if (values.timeout !== undefined && !(Number(values.timeout) > 0))
  throw new Error(`The time limit of a test file is a number of seconds above 0, not "${values.timeout}".`);

// Of the tests as well: what a fixture does not say about rights is the same under any account.
process.umask(0o022);
// The long ones fill it with gigabytes.
const scratch = makeScratch((line) => process.stdout.write(`${line}\n`), { onDisk: values.long || values.all });
// A server may be ending in it.
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));
const cluster = sharedCluster(join(scratch, 'postgres'));
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stop.abort();
    process.exit(1);
  });
}

const found = findTests(values.root, positionals);
const meant = found.filter((name) => enginesFor(name).length > 0);
// The quick ones first: whatever is wrong with them is known minutes earlier. The quickest of them come last, web/.
const reports = await runAll([...meant.filter((name) => !isLong(name)), ...mixed(meant.filter(isLong))]);
await cluster.stop();
summarise(reports);
process.exitCode = reports.length === 0 || reports.some(hasFailed) ? 1 : 0;

function findTests(root: string, filters: readonly string[]): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .filter((name) => filters.length === 0 || filters.some((filter) => name.includes(filter)))
    .sort();
}

function isLong(name: string): boolean {
  return LONG_ENDING.test(name);
}

/** The first of each folder, then the second of each: files that boot machines, one at a time, wait for each other. */
function mixed(names: readonly string[]): readonly string[] {
  const folders = Object.values(Object.groupBy(names, (name) => name.split('/')[0] ?? ''));
  return names.flatMap((_, nth) => folders.flatMap((files) => files?.[nth] ?? []));
}

/** The databases over which a file tries what must hold over each. None: it is left to another command. */
function enginesFor(name: string): readonly EngineName[] {
  if (values.all) return ENGINE_NAMES;
  if (isLong(name)) return values.long ? ENGINE_NAMES : [];
  if (!values.long) return ['sqlite'];
  return triesEachEngine(join(values.root, name)) ? ['postgres'] : [];
}

function limitOf(name: string): number {
  return Number(values.timeout ?? (isLong(name) ? LONG_LIMIT_S : LIMIT_S));
}

/**
 * More files at a time than there are cores, as most wait now and then: for a disk, another process, a time-out. Fewer
 * of the long ones, which freeze nodes and drive browsers within time limits. The reports come in the order of the files.
 */
async function runAll(names: readonly string[]): Promise<Report[]> {
  const done = new Map<string, Report>();
  const waiting = [...names];
  const takeTurns = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) done.set(name, await runOne(name));
  };
  const cores = availableParallelism();
  await Promise.all(Array.from({ length: names.some(isLong) ? cores + 1 : 2 * cores + 1 }, takeTurns));
  return names.flatMap((name) => done.get(name) ?? []);
}

/**
 * What one has made, the next need not: a new database, and compiled modules that most share (see NODE_COMPILE_CACHE of
 * Node).
 */
async function runOne(name: string): Promise<Report> {
  const path = join(values.root, name);
  const engines = enginesFor(name);
  const environment = {
    ...(engines.includes('postgres') && (await cluster.environmentOf(path))),
    [ENGINES]: engines.join(' '),
    [SHARED_FOLDER]: scratch,
    NODE_COMPILE_CACHE: join(scratch, 'compiled'),
  };
  const startedMs = performance.now();
  const folder = makeFolder(join(scratch, 'file-'));
  const verdict = await runFile(path, { limitS: limitOf(name), folder, environment, stop: stop.signal });
  rmSync(folder, { recursive: true, force: true });
  const report = { name, ...verdict, tookS: (performance.now() - startedMs) / 1000 };
  print(report);
  return report;
}

function print(report: Report): void {
  const mark = hasFailed(report) ? 'FAIL' : 'ok  ';
  process.stdout.write(`${mark} ${report.name}  ${counts(report)}  ${times(report)}\n`);
  for (const line of report.skipReasons) process.stdout.write(`     ${line}\n`);
  if (!hasFailed(report)) return;
  process.stdout.write(indented(withSourcePlaces(report.output)));
  for (const fault of report.faults) process.stdout.write(`     ${report.name}: ${fault}\n`);
}

function summarise(reports: readonly Report[]): void {
  const failures = reports.filter(hasFailed);
  if (failures.length > 0) process.stdout.write('\nFailed:\n');
  for (const { name, faults, failedTests } of failures) {
    process.stdout.write(`  ${name}: ${faults.join('; ')}\n`);
    for (const test of failedTests) process.stdout.write(`    ${withSourcePlaces(test)}\n`);
  }
  if (reports.length === 0) process.stdout.write(`${whyNone()}\n`);
  if (reports.length > SLOWEST) process.stdout.write(`\nThe slowest files:\n${slowest(reports)}`);

  const sum = (count: (report: Report) => number) => reports.reduce((total, report) => total + count(report), 0);
  const total = {
    passed: sum(({ passed }) => passed),
    // A search that found no test has failed, too.
    failed: reports.length === 0 ? 1 : sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
  };
  const cpuS = usedCpuS();
  const inCpu = cpuS === null ? '' : `, ${cpuS.toFixed(0)} s of CPU`;
  process.stdout.write(`\n${sum(({ assertions }) => assertions)} assertions${inCpu}\n${counts(total)}\n`);
}

function slowest(reports: readonly Report[]): string {
  const first = reports.toSorted((one, other) => other.tookS - one.tookS).slice(0, SLOWEST);
  return first.map((report) => `  ${times(report).padStart(24)}  ${report.name}\n`).join('');
}

function times({ tookS, cpuS }: Report): string {
  return `${tookS.toFixed(1)} s (CPU ${cpuS.toFixed(1)} s)`;
}

function whyNone(): string {
  if (found.length === 0) return `No test file found in ${relative('', values.root) || '.'}.`;
  return `${found.join(', ')}: run by npm ${values.long ? 'test' : 'run test:long'}.`;
}

function counts({ passed, failed, skipped }: { passed: number; failed: number; skipped: number }): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function indented(output: string): string {
  return output.trimEnd().replace(/^/gm, '     | ').concat('\n');
}
