import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from './support/folder.ts';
import { skipWhere } from './support/skip.ts';

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

test('What takes long is left to --long, and with --all it comes last', () => {
  const fixtures = { 'crash/passes': 'passes', 'apes/monkey.long': 'skips', 'zebra/fails': 'fails' };
  assert.is(runTests(fixtures).lines.at(-1), '1 passed, 1 failed');
  assert.is(runTests(fixtures, ['--long']).lines.at(-1), '3 passed, 0 failed, 1 skipped');
  assert.is(runTests(fixtures, ['--all']).lines.at(-1), '4 passed, 1 failed, 1 skipped');
  // The list of what failed is in the order in which the files began; they end as they please.
  const { lines } = runTests({ 'crash/fails': 'fails', 'zebra/fails': 'fails' }, ['--all']);
  const failed = lines.slice(lines.indexOf('Failed:'));
  assert.ok(indexOf(failed, 'zebra/fails') < indexOf(failed, 'crash/fails'));
});

test('What must hold over each database is tried over SQLite, with --long over PostgreSQL, in a long file over both', () => {
  const fixtures = { each: 'tries-each-engine', 'faults/each': 'tries-each-engine' };
  const assertions = (args: string[]) => runTests(fixtures, args).lines.at(-2)?.split(' ')[0];
  assert.equal([assertions([]), assertions(['--long'])], ['1', '5']);
});

test('Long files of different folders take turns, as those of one may wait for each other', () => {
  const fixtures = ['crash/a', 'crash/b', 'systemd/a', 'systemd/b', 'zebra/a.long'].map((name) => [name, 'fails']);
  const { lines } = runTests(Object.fromEntries(fixtures), ['--long']);
  assert.equal(
    lines.slice(lines.indexOf('Failed:')).flatMap((line) => /^ {2}(\S+)\.test\.js:/.exec(line)?.[1] ?? []),
    ['crash/a', 'systemd/a', 'zebra/a.long', 'crash/b', 'systemd/b'],
  );
});

test('The runner says where the files are run that it was asked for and leaves out', () => {
  const fixtures = { 'crash/passes': 'passes', 'zebra/passes': 'passes' };
  const { status, lines } = runTests(fixtures, ['crash']);
  assert.equal(
    [status, lines[0], lines.at(-1)],
    [1, 'crash/passes.test.js: run by npm run test:long.', '0 passed, 1 failed'],
  );
  assert.is(runTests(fixtures, ['--long', 'zebra']).lines[0], 'zebra/passes.test.js: run by npm test.');
  for (const filter of ['crash', 'zebra'])
    assert.is(runTests(fixtures, ['--all', filter]).lines.at(-1), '2 passed, 0 failed');
});

test('The runner shows the output of a file that failed, and lists its failed tests at the end', () => {
  const { lines } = runTests(['passes', 'fails']);
  assert.ok(lines.some((line) => line.includes('| ') && line.includes('one is not two')));
  assert.ok(
    lines.indexOf('Failed:') < lines.findIndex((line) => line.startsWith('    "One test fails": one is not two')),
  );
  assert.ok(lines.includes('Failed:'));
});

test('A failure is shown at its place in the source, not in what was built of it', () => {
  const { lines } = runTests(['fails']);
  assert.ok(lines.some((line) => /\/test\/runner\/fixtures\/fails\.ts:5:\d+/.test(line)));
  assert.not(lines.some((line) => line.includes('fails.js:')));
});

test('The runner prints why a test was skipped', () => {
  const { lines } = runTests(['skips']);
  assert.ok(lines.includes('     skipped: A test needs the moon (there is no moon)'));
});

test('The runner counts the assertions of all files, and their CPU', () => {
  const { lines } = runTests({ one: 'asserts', two: 'asserts', 'crash/three': 'asserts' });
  assert.match(lines.at(-2) ?? '', /^12 assertions, \d+ s of CPU$/);
});

test('The runner names the ten slowest of more files, the slowest first', () => {
  const quick = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`quick-${index}`, 'passes']));
  const { lines } = runTests({ ...quick, slow: 'hangs' }, ['--timeout', '1']);
  const named = lines.slice(lines.indexOf('The slowest files:') + 1, -3);
  for (const line of named) assert.match(line, /^ +\d+\.\d s \(CPU \d+\.\d s\) {2}\S+\.test\.js$/);
  const seconds = named.map((line) => Number.parseFloat(line));
  assert.equal(
    seconds,
    seconds.toSorted((one, other) => other - one),
  );
  assert.ok(named.some((line) => line.endsWith(' slow.test.js')));
  assert.is(named.length, 10);
});

test('The runner takes its time limit from the command line', () => {
  const { status, lines } = runTests(['hangs'], ['--timeout', '0.5']);
  assert.is(status, 1);
  assert.ok(lines.includes('  hangs.test.js: did not end within 0.5 s'));
});

test('The tests have the same umask, under any account', () => {
  const umask = process.umask(0o077);
  const { lines } = runTests(['needs-a-common-umask']);
  process.umask(umask);
  assert.is(lines.at(-1), '1 passed, 0 failed');
});

const whereMounted = skipWhere(
  spawnSync('unshare', ['--mount', 'true']).status === 0 ? null : 'nothing can be mounted here',
  test,
);

whereMounted(
  'Where nothing can be executed in the temporary folder, the tests use another, which the runner says',
  () => {
    const mounted = 'mount -t tmpfs -o noexec,mode=1777 tmpfs "$TMPDIR" && exec "$@"';
    const { lines } = runTests(['passes'], [], ['unshare', '--mount', 'sh', '-c', mounted, 'sh']);
    assert.match(
      lines[0] ?? '',
      /^Nothing can be executed in .*, so the tests use \/var\/tmp\. TMPDIR names another\.$/,
    );
    assert.is(lines.at(-1), '2 passed, 0 failed');
  },
);

test.run();

/** Runs the runner over a folder with these fixtures under the names of tests, or under those that they are given. */
function runTests(
  fixtures: readonly string[] | Readonly<Record<string, string>>,
  args: string[] = [],
  within: readonly string[] = [],
): { status: number | null; lines: string[] } {
  const root = mkdtempSync(join(tmpdir(), 'root-'));
  const named = Array.isArray(fixtures) ? fixtures.map((name) => [name, name]) : Object.entries(fixtures);
  try {
    for (const [name, fixture] of named) {
      const path = join(root, `${name}.test.js`);
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(join(import.meta.dirname, 'runner', 'fixtures', `${fixture}.js`), path);
    }
    const runner = join(import.meta.dirname, 'run.js');
    const [command = '', ...rest] = [...within, process.execPath, runner, '--root', root, ...args];
    const env = { ...process.env, TMPDIR: temporaryFolder() };
    const { status, stdout } = spawnSync(command, rest, { encoding: 'utf8', env });
    return { status, lines: stdout.trimEnd().split('\n') };
  } finally {
    rmSync(root, { recursive: true });
  }
}

function indexOf(lines: readonly string[], text: string): number {
  return lines.findIndex((line) => line.includes(text));
}
