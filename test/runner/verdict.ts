import { stripVTControlCharacters } from 'node:util';

/** How the process of a test file ended. */
export type Ending =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'timedOut'; readonly limitS: number }
  | { readonly kind: 'stayedOpen'; readonly openS: number };

export interface Verdict {
  readonly passed: number;
  /** At least 1 where there are faults. */
  readonly failed: number;
  readonly skipped: number;
  /** How often it called a function of `uvu/assert` (counted-assert.ts); 0 where it was killed. */
  readonly assertions: number;
  /** The seconds of CPU that it and its processes took (used-cpu.ts); 0 where it was killed. */
  readonly cpuS: number;
  /** Why the file did not pass; empty: it passed. */
  readonly faults: readonly string[];
  /** The tests that uvu reported as failed: the name of each, why, and the first line of a test in its stack. */
  readonly failedTests: readonly string[];
  /** The lines that say why tests were skipped: see support/skip.ts. */
  readonly skipReasons: readonly string[];
  readonly output: string;
}

interface Totals {
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
}

export function hasFailed(verdict: Verdict): boolean {
  return verdict.faults.length > 0;
}

/**
 * A file passed only if it ended by itself with 0, and uvu counted at least one test, and each of them passed. Where
 * all of its tests were skipped, each has to have said why.
 */
export function judge(ending: Ending, rawOutput: string, source: string): Verdict {
  const output = stripVTControlCharacters(rawOutput);
  const totals = totalsIn(output);
  const failedTests = output
    .split(/^ {3}FAIL {2}/m)
    .slice(1)
    .map(failureIn);
  const skipReasons = output.match(/^skipped: .+$/gm) ?? [];
  const missed = totals === null ? 0 : totals.total - totals.passed;
  const faults = [...faultsOfEnding(ending), ...faultsOfSource(source)];
  if (totals === null && ending.kind !== 'timedOut') {
    faults.push('ended before its tests did: a crash, no .run(), or a process.exit()');
  }
  const isAllSkipped = skipReasons.length > 0 && skipReasons.length === totals?.skipped;
  if (totals?.total === 0 && !isAllSkipped) faults.push('ran no test');
  if (missed > 0) faults.push(`${missed} of ${totals?.total} tests did not pass`);
  if (missed > failedTests.length) faults.push('a hook threw, and uvu swallowed its error');
  return {
    passed: totals?.passed ?? 0,
    failed: Math.max(missed, faults.length > 0 ? 1 : 0),
    skipped: totals?.skipped ?? 0,
    assertions: assertionsIn(output),
    cpuS: Number(/^ {2}CPU: ([\d.]+) s$/m.exec(output)?.[1] ?? 0),
    faults,
    failedTests,
    skipReasons,
    output,
  };
}

/** Whether uvu has printed a summary, of all tests or of those of a suite. */
export function hasSummary(rawOutput: string): boolean {
  return totalsIn(stripVTControlCharacters(rawOutput)) !== null;
}

/** uvu prints a summary each time it has emptied its queue: more than one where a file awaits between two suites. */
function totalsIn(output: string): Totals | null {
  const summaries = [
    ...output.matchAll(/^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)\n {2}Duration: /gm),
  ];
  if (summaries.length === 0) return null;
  const sum = (group: number) => summaries.reduce((total, summary) => total + Number(summary[group]), 0);
  return { total: sum(1), passed: sum(2), skipped: sum(3) };
}

function failureIn(report: string): string {
  const [name = '', reason = '', ...rest] = report.split('\n');
  const place = rest.find((line) => /^ +at .*\/test\/(?!runner\/counted-assert)/.test(line)) ?? '';
  return `${name}: ${reason.trim()} ${place.trim()}`.trimEnd();
}

/** A line of each thread that asserted. */
function assertionsIn(output: string): number {
  return [...output.matchAll(/^ {2}Assertions: (\d+)$/gm)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

function faultsOfEnding(ending: Ending): string[] {
  switch (ending.kind) {
    case 'timedOut':
      return [`did not end within ${ending.limitS} s`];
    case 'stayedOpen':
      return [`did not end within ${ending.openS} s after its tests: a server, a timer or a child is still open`];
    case 'killed':
      return [`was killed by ${ending.signal}`];
    case 'exited':
      return ending.code === 0 ? [] : [`exited with ${ending.code}`];
  }
}

/** Faults that uvu's counts hide: tests left out by `.only` look skipped, and a suite that never ran looks absent. */
function faultsOfSource(source: string): string[] {
  const faults = /\.only\s*\(/.test(source) ? ['uses .only, which leaves out the other tests'] : [];
  for (const [, name] of source.matchAll(/(\w+)\s*=\s*suite\s*\(/g)) {
    if (!source.includes(`${name}.run(`)) faults.push(`has a suite without .run(): ${name}`);
  }
  for (const [, names = ''] of source.matchAll(/\{([^}]*)\}\s*=\s*conformance\(/g)) {
    const [, renamed = 'run'] = /\brun(?::\s*(\w+))?/.exec(names) ?? [undefined, 'not destructured'];
    if (!new RegExp(`^${renamed}\\(\\)`, 'm').test(source)) faults.push('has a conformance suite without run()');
  }
  return faults;
}
