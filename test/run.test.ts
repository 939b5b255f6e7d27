import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

test('The runner sums up what passed, failed and was skipped, in its last line', () => {
  const { status, lines } = runTests(['passes', 'skips', 'fails', 'never-runs']);
  assert.is(status, 1);
  assert.is(lines.at(-1), '4 passed, 2 failed, 1 skipped');
});

test('The runner exits with 0 where all tests passed', () => {
  const { status, lines } = runTests(['passes']);
  assert.is(status, 0);
  assert.is(lines.at(-1), '2 passed, 0 failed');
});

test('The runner has failed where it found no test', () => {
  const { status, lines } = runTests([]);
  assert.is(status, 1);
  assert.is(lines.at(-1), '0 passed, 1 failed');
});

test('The runner runs only the files whose path contains one of its arguments', () => {
  const { status, lines } = runTests(['passes', 'fails', 'skips'], ['passes', 'skips']);
  assert.is(status, 0);
  assert.is(lines.at(-1), '3 passed, 0 failed, 1 skipped');
});

test('The runner shows the output of a file that failed, and lists its failed tests at the end', () => {
  const { lines } = runTests(['passes', 'fails']);
  assert.ok(lines.some((line) => line.includes('| ') && line.includes('one is not two')));
  assert.ok(lines.indexOf('Failed:') < lines.indexOf('    "One test fails"'));
});

test('The runner prints why a test was skipped', () => {
  const { lines } = runTests(['skips']);
  assert.ok(lines.includes('     skipped: A test needs the moon (there is no moon)'));
});

test('The runner takes its time limit from the command line', () => {
  const { status, lines } = runTests(['hangs'], ['--timeout', '0.5']);
  assert.is(status, 1);
  assert.ok(lines.includes('  hangs.test.js: did not end within 0.5 s'));
});

test.run();

/** Runs the runner over a folder with these fixtures under the names of tests. */
function runTests(fixtures: string[], args: string[] = []): { status: number | null; lines: string[] } {
  const root = mkdtempSync(join(tmpdir(), 'root-'));
  try {
    for (const name of fixtures) {
      symlinkSync(join(import.meta.dirname, 'runner', 'fixtures', `${name}.js`), join(root, `${name}.test.js`));
    }
    const runner = join(import.meta.dirname, 'run.js');
    const { status, stdout } = spawnSync(process.execPath, [runner, '--root', root, ...args], { encoding: 'utf8' });
    return { status, lines: stdout.trimEnd().split('\n') };
  } finally {
    rmSync(root, { recursive: true });
  }
}
