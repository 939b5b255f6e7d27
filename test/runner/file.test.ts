import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runFile } from './file.ts';
import type { Verdict } from './verdict.ts';

/** Each way in which a file can fail, some of which uvu takes for success: its counts, and what is said of it. */
const FAILURES: [fixture: string, passed: number, failed: number, fault: RegExp][] = [
  ['fails', 1, 1, /1 of 2 tests did not pass/],
  ['empties-the-loop', 0, 1, /exited with 1/],
  ['crashes', 0, 1, /exited with 1/],
  ['kills-itself', 0, 1, /was killed by SIGKILL/],
  ['never-runs', 0, 1, /ended before its tests did/],
  ['is-empty', 0, 1, /ended before its tests did/],
  ['has-no-test', 0, 1, /ran no test/],
  ['exits-at-once', 0, 1, /ended before its tests did/],
  ['exits-in-a-test', 0, 1, /exited with 1/],
  ['throws-before', 0, 2, /a hook threw/],
  ['throws-after', 0, 1, /exited with 1/],
  ['throws-after-each', 0, 2, /a hook threw/],
  ['runs-one-suite-of-two', 1, 1, /a suite without \.run\(\): second/],
  ['runs-no-conformance', 1, 1, /a conformance suite without run\(\)/],
  ['awaits-between-suites', 1, 1, /1 of 2 tests did not pass/],
];

for (const [fixture, passed, failed, fault] of FAILURES) {
  test(`A file that ${fixture.replaceAll('-', ' ')} has failed`, async () => {
    const verdict = await verdictOn(fixture);
    assertCounts(verdict, [passed, failed, 0]);
    assert.match(verdict.faults.join('; '), fault);
  });
}

test('A file of which all tests passed has no faults', async () => {
  const verdict = await verdictOn('passes');
  assertCounts(verdict, [2, 0, 0]);
  assert.equal(verdict.faults, []);
});

test('A file that leaves tests out has failed, though uvu counts them as skipped', async () => {
  const verdict = await verdictOn('uses-only');
  assertCounts(verdict, [1, 1, 1]);
  assert.match(verdict.faults.join('; '), /leaves out the other tests/);
});

test('A file that hangs is killed at the time limit', async () => {
  const verdict = await verdictOn('hangs', { limitS: 0.5 });
  assertCounts(verdict, [0, 1, 0]);
  assert.equal(verdict.faults, ['did not end within 0.5 s']);
});

test('A file that holds a handle has failed, with the tests that passed counted, long before the time limit', async () => {
  const verdict = await verdictOn('holds-a-handle', { openS: 1 });
  assertCounts(verdict, [1, 1, 0]);
  assert.equal(verdict.faults, ['did not end within 1 s after its tests: a server, a timer or a child is still open']);
});

test('A file is killed when the runner is stopped', async () => {
  const stop = new AbortController();
  const running = verdictOn('hangs', { stop: stop.signal });
  stop.abort();
  assert.match((await running).faults.join('; '), /was killed by SIGKILL/);
});

test('A skipped test is counted, and its reason kept', async () => {
  const verdict = await verdictOn('skips');
  assertCounts(verdict, [1, 0, 1]);
  assert.equal(verdict.skipReasons, ['skipped: A test needs the moon (there is no moon)']);
});

test('A file whose tests were all skipped has not failed, if each said why', async () => {
  assertCounts(await verdictOn('skips-all'), [0, 0, 1]);
  assertCounts(await verdictOn('skips-all-silently'), [0, 1, 1]);
});

test('A failed test is named, with the reason and the place, and its error shown', async () => {
  const verdict = await verdictOn('fails');
  const [failed = '', ...others] = verdict.failedTests;
  assert.match(failed, /^"One test fails": one is not two +\(is\) at .*\/fixtures\/fails\.js:\d/);
  assert.equal(others, []);
  assert.match(verdict.output, /one is not two/);
});

test('A process that a file leaves behind is killed', async () => {
  const { output } = await verdictOn('leaves-a-process');
  const left = Number(/child (\d+)/.exec(output)?.[1]);
  assert.ok(left > 0);
  while (isAlive(left)) await new Promise(setImmediate);
});

test('A file does not print colours, even if its runner does', async () => {
  const before = process.env.FORCE_COLOR;
  process.env.FORCE_COLOR = '1';
  try {
    assert.match((await verdictOn('tells-of-colors')).output, /forced: undefined/);
  } finally {
    if (before === undefined) delete process.env.FORCE_COLOR;
    else process.env.FORCE_COLOR = before;
  }
});

test('The files that a test leaves in its temporary folder are removed', async () => {
  const { output } = await verdictOn('leaves-a-file');
  const left = /folder (.+)/.exec(output)?.[1];
  assert.type(left, 'string');
  assert.not(existsSync(String(left)));
});

test.run();

/** Runs a file of ./fixtures. Only what is made to reach a time limit gets a short one. */
async function verdictOn(
  fixture: string,
  { limitS = 60, openS = 60, stop = new AbortController().signal } = {},
): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'runner-'));
  try {
    return await runFile(join(import.meta.dirname, 'fixtures', `${fixture}.js`), { limitS, openS, folder, stop });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function assertCounts(
  { passed, failed, skipped }: Verdict,
  expected: [passed: number, failed: number, skipped: number],
) {
  assert.equal([passed, failed, skipped], expected);
}

/** A zombie counts as dead: where nothing reaps orphans, it stays one. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
