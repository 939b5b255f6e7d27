/**
 * Runs the built tests of a tier (the table in docs/architecture.md): `run.js [--tier quick|ci|trials] [part of a path]…`.
 *
 * - `--for COMMIT`: the trials that belong to what has changed since that commit.
 * - `--save-times`: keeps how long each file took in `--times FILE` (test/times.json), by which the longest start first.
 * - `--timeout SECONDS` of a file; `--root FOLDER` with the built tests.
 *
 * uvu takes a hook that threw, a forgotten `.run()` or an early `process.exit(0)` for success, and waits for ever for
 * an open handle. So each file runs in a process of its own (runner/file.ts), and its output has to prove that it
 * passed (runner/verdict.ts). The last line is `N passed, N failed`, with `, N skipped` if there were any.
 */
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../src/process/package.ts';
import { runFile } from './runner/file.ts';
import { COMMANDS, findTests, type Job, type Phase, planFor, type Tier, tierOf } from './runner/plan.ts';
import { type Done, hasRunFailed, printReport, type Report, summarise } from './runner/report.ts';
import { makeFolder, makeScratch } from './runner/scratch.ts';
import { sharedCluster } from './runner/shared-cluster.ts';
import { measureSlowness } from './runner/slowness.ts';
import { readTimes, saveTimes } from './runner/times.ts';
import { changedSince, trialsFor } from './runner/trials.ts';
import { hasFailed } from './runner/verdict.ts';
import { ENGINES } from './support/engine-names.ts';
import { SHARED_FOLDER } from './support/made-once.ts';
import { SLOWNESS } from './support/until.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tier: { type: 'string', default: 'quick' },
    for: { type: 'string' },
    times: { type: 'string', default: packagePath('test', 'times.json') },
    'save-times': { type: 'boolean', default: false },
    timeout: { type: 'string', ...(process.env.TEST_TIMEOUT_S && { default: process.env.TEST_TIMEOUT_S }) },
    root: { type: 'string', default: import.meta.dirname },
  },
});
if (values.timeout !== undefined && !(Number(values.timeout) > 0))
  throw new Error(`--timeout is a number of seconds above 0, not "${values.timeout}".`);
const tier = tierNamed(values.tier);
if (values.for !== undefined && tier !== 'trials') throw new Error('--for chooses trials: use `npm run test:trials`.');

// Fixtures that say nothing about rights are the same under any account.
process.umask(0o022);
// Trials fill it with gigabytes.
const scratch = makeScratch((line) => process.stdout.write(`${line}\n`), { onDisk: tier === 'trials' });
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

const all = findTests(values.root);
const chosen = positionals.length === 0 ? all : all.filter((file) => positionals.some((part) => file.includes(part)));
const found = values.for === undefined ? chosen : trialsSince(values.for);
if (values.for !== undefined && found.length === 0) {
  process.stdout.write(`No trial belongs to what has changed since ${values.for}.\n`);
  process.exit(0);
}
const phases = planFor(tier, found, values.root, readTimes(values.times));
const slowness = Number(process.env[SLOWNESS] || (await measureSlowness()));
if (slowness > 1)
  process.stdout.write(`Other work makes this machine ${slowness} × slower: waits last as much longer.\n`);

const reports: Report[] = [];
const times: Done[] = [];
for (const phase of phases) await timed(COMMANDS[phase.tier], async () => reports.push(...(await runPhase(phase))));
const failed = phases.filter(({ canRetry }) => canRetry).flatMap(({ jobs }) => jobs.filter(hasFailedFirst));
if (failed.length > 0) await timed('retries', retryFailed);
await cluster.stop();
if (reports.length === 0) process.stdout.write(`${whyNone()}\n`);
summarise(reports, times, tier === 'ci');
process.exitCode = hasRunFailed(reports) ? 1 : 0;
if (values['save-times']) {
  const took = Object.fromEntries(reports.map(({ name, tookS }) => [name, tookS]));
  saveTimes(values.times, took, isKnown);
}

function trialsSince(commit: string): readonly string[] {
  const changed = changedSince(commit);
  if (changed !== null)
    return trialsFor(
      changed,
      chosen.filter((file) => tierOf(file) === 'trials'),
    );
  process.stderr.write(`Git does not know the commit "${commit}". Pass one that "git log" lists to --for.\n`);
  process.exit(1);
}

function tierNamed(name: string): Tier {
  if (name in COMMANDS) return name as Tier;
  throw new Error(`--tier is one of ${Object.keys(COMMANDS).join(', ')}, not "${name}".`);
}

async function timed(title: string, run: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now();
  await run();
  times.push({ title, tookS: (performance.now() - startedMs) / 1000 });
}

/** Returns the reports in the order in which the jobs start. */
async function runPhase({ jobs, atATime }: Phase): Promise<readonly Report[]> {
  const done = new Map<Job, Report>();
  const waiting = [...jobs];
  const takeTurns = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const report = await runOne(job);
      printReport(report, tier === 'trials');
      done.set(job, report);
    }
  };
  await Promise.all(Array.from({ length: atATime }, takeTurns));
  return jobs.flatMap((job) => done.get(job) ?? []);
}

function hasFailedFirst({ name }: Job): boolean {
  return reports.some((report) => report.name === name && hasFailed(report));
}

/** Runs each failed file once more, alone on the machine. */
async function retryFailed(): Promise<void> {
  for (const job of failed) {
    const index = reports.findIndex(({ name }) => name === job.name);
    const second = await runOne(job);
    const report = hasFailed(second) ? second : { ...second, flaky: reports[index] };
    printReport(report);
    reports[index] = report;
  }
}

/**
 * Gives the file what earlier ones have made: a new database, and compiled modules that most share (NODE_COMPILE_CACHE of
 * Node).
 */
async function runOne({ file, name, engines, limitS }: Job): Promise<Report> {
  const path = join(values.root, file);
  const environment = {
    ...(engines.includes('postgres') && (await cluster.environmentOf(path))),
    [ENGINES]: engines.join(' '),
    [SHARED_FOLDER]: scratch,
    [SLOWNESS]: String(slowness),
    NODE_COMPILE_CACHE: join(scratch, 'compiled'),
  };
  const startedMs = performance.now();
  const folder = makeFolder(join(scratch, 'file-'));
  const limit = Number(values.timeout ?? limitS * slowness);
  const verdict = await runFile(path, { limitS: limit, folder, environment, stop: stop.signal });
  rmSync(folder, { recursive: true, force: true });
  return { name, ...verdict, tookS: (performance.now() - startedMs) / 1000 };
}

function whyNone(): string {
  if (found.length === 0) return `No test file found in ${relative('', values.root) || '.'}.`;
  return found.map((file) => `${file}: run by ${COMMANDS[tierOf(file)]}.`).join('\n');
}

function isKnown(name: string): boolean {
  return all.includes(name.replace(/ over PostgreSQL$/, ''));
}
