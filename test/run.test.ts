import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/process/package.ts';
import { temporaryFolder } from './support/folder.ts';
import { skipWhere } from './support/skip.ts';

test('The runner sums up what passed, failed and was skipped, in its last line', () => {
  const { status, lines } = runTests(['passes', 'skips', 'fails', 'never-runs']);
  assert.is(status, 1);
  assert.is(lines.at(-1), '4 passed, 2 failed, 1 skipped');
});

test('The runner exits with 0 if all tests passed', () => {
  const { status, lines } = runTests(['passes']);
  assert.is(status, 0);
  assert.is(lines.at(-1), '2 passed, 0 failed');
});

test('The runner fails if it finds no test', () => {
  const { status, lines } = runTests([]);
  assert.is(status, 1);
  assert.is(lines.at(-1), '0 passed, 1 failed');
});

test('The runner runs only the files whose path contains one of its arguments', () => {
  const { status, lines } = runTests(['passes', 'fails', 'skips'], ['passes', 'skips']);
  assert.is(status, 0);
  assert.is(lines.at(-1), '3 passed, 0 failed, 1 skipped');
});

test('The name of a file says its tier, and the ci tier holds the quick one', () => {
  const fixtures = { 'a/quick': 'passes', 'a/slow.ci': 'skips', 'a/slowest.trial': 'fails' };
  assert.is(runTests(fixtures).lines.at(-1), '2 passed, 0 failed');
  assert.is(runTests(fixtures, ['--tier', 'ci']).lines.at(-1), '3 passed, 0 failed, 1 skipped');
  assert.is(runTests(fixtures, ['--tier', 'trials']).lines.at(-1), '1 passed, 1 failed');
});

test('A quick file runs over SQLite, in the ci tier over PostgreSQL as well, and a slow file over both at once', () => {
  const fixtures = { quick: 'tries-each-engine', 'slow.ci': 'tries-each-engine' };
  const files = (args: string[]) =>
    runTests(fixtures, args).lines.flatMap((line) => /^ok +(.+?) {2}(\d+) passed/.exec(line)?.slice(1).join(' ') ?? []);
  assert.equal(files([]), ['quick.test.js 1']);
  assert.equal(files(['--tier', 'ci']).sort(), [
    'quick.test.js 1',
    'quick.test.js over PostgreSQL 1',
    'slow.ci.test.js 2',
  ]);
});

test('The longest file of a tier starts first, by the times of an earlier run', () => {
  const names = ['a', 'b.ci', 'c.ci', 'd.ci', 'e.ci'];
  const times = temporaryFile('times', '{"b.ci.test.js": 3, "c.ci.test.js": 9, "d.ci.test.js": 5, "gone.test.js": 1}');
  const { lines } = runTests(Object.fromEntries(names.map((name) => [name, 'fails'])), [
    '--tier',
    'ci',
    '--times',
    times,
  ]);
  const started = lines
    .slice(lines.indexOf('Failed:'))
    .flatMap((line) => /^ {2}(\S+)\.test\.js:/.exec(line)?.[1] ?? []);
  // The quick tier comes first, and nothing is known of e.
  assert.equal(started, ['a', 'e.ci', 'c.ci', 'd.ci', 'b.ci']);
});

test('The times of a run are kept beside those of files that did not run, without those of files that are gone', () => {
  const times = temporaryFile('times', '{"other.test.js": 7, "gone.test.js": 1}');
  runTests({ first: 'passes', other: 'passes' }, ['first', '--times', times, '--save-times']);
  assert.equal(JSON.parse(readFileSync(times, 'utf8')), { 'first.test.js': 1, 'other.test.js': 7 });
});

test('A file of the ci tier that fails once and then passes alone counts as flaky, passes and is reported', () => {
  const { status, lines } = runTests({ 'one.ci': 'fails-once', 'two.ci': 'passes' }, ['--tier', 'ci']);
  assert.is(status, 0);
  assert.equal(lines.slice(-2), ['1 flaky', '3 passed, 0 failed']);
  const shown = lines.slice(lines.indexOf('Failed at first, and passed alone:'));
  assert.is(shown[1], 'FLAKY one.ci.test.js');
  assert.ok(
    shown.some((line) => line.includes('not yet')),
    'its first output is at the end',
  );
});

test('A file of the ci tier that fails twice has failed, and a quick file or a trial gets no second try', () => {
  const fails = runTests({ 'one.ci': 'fails' }, ['--tier', 'ci']);
  assert.equal([fails.status, ...fails.lines.slice(-2)], [1, '0 flaky', '1 passed, 1 failed']);
  for (const [name, tier] of [
    ['one', 'ci'],
    ['one', 'quick'],
    ['one.trial', 'trials'],
  ] as const) {
    const { status, lines } = runTests({ [name]: 'fails-once' }, ['--tier', tier]);
    assert.equal([status, lines.at(-1)], [1, '0 passed, 1 failed'], `${name} of ${tier}`);
  }
});

test('More than three flaky files make the run fail', () => {
  const flaky = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [`${nth}.ci`, 'fails-once']));
  const three = runTests(flaky(3), ['--tier', 'ci']);
  assert.equal([three.status, ...three.lines.slice(-2)], [0, '3 flaky', '3 passed, 0 failed']);
  const four = runTests(flaky(4), ['--tier', 'ci']);
  assert.equal([four.status, ...four.lines.slice(-2)], [1, '4 flaky', '4 passed, 4 failed']);
});

test('The runner prints how long each tier took', () => {
  const { lines } = runTests({ first: 'passes', 'second.ci': 'fails' }, ['--tier', 'ci']);
  assert.ok(
    lines.some((line) => /^npm test: 0:0\d, npm run test:ci: 0:0\d, retries: 0:0\d$/.test(line)),
    lines.join('\n'),
  );
});

test('The output of a trial is printed even if it passes, that of other files is not', () => {
  const shown = (name: string, tier: string) =>
    runTests({ [name]: 'passes' }, ['--tier', tier]).lines.some(
      (line) => line.includes('| ') && line.includes('(2 / 2)'),
    );
  assert.equal([shown('a.trial', 'trials'), shown('a.ci', 'ci'), shown('a', 'quick')], [true, false, false]);
});

test('The runner names the tier of the files that it was asked for and leaves out', () => {
  const fixtures = { 'crash/passes.ci': 'passes', 'crash/more.trial': 'passes', 'zebra/passes': 'passes' };
  const { status, lines } = runTests(fixtures, ['crash']);
  assert.equal(
    [status, ...lines.slice(0, 2), lines.at(-1)],
    [
      1,
      'crash/more.trial.test.js: run by npm run test:trials.',
      'crash/passes.ci.test.js: run by npm run test:ci.',
      '0 passed, 1 failed',
    ],
  );
  assert.is(runTests(fixtures, ['--tier', 'trials', 'zebra']).lines[0], 'zebra/passes.test.js: run by npm test.');
});

test('If git does not know the commit of --for, the runner says that alone and fails', () => {
  const { status, lines, stderr } = runTests({ 'a.trial': 'passes' }, ['--tier', 'trials', '--for', 'no-such-commit']);
  assert.equal([status, lines], [1, ['']]);
  assert.is(stderr, 'Git does not know the commit "no-such-commit". Pass one that "git log" lists to --for.\n');
});

const isInGit = spawnSync('git', ['rev-parse', '--verify', 'HEAD'], { cwd: packagePath('.') }).status === 0;
const inGit = skipWhere(isInGit ? null : 'needs a git repository', test);

inGit('If no trial belongs to what has changed since the commit of --for, the runner says that and passes', () => {
  const { status, lines, stderr } = runTests({ 'a.trial': 'passes' }, ['--tier', 'trials', '--for', 'HEAD']);
  assert.equal([status, lines, stderr], [0, ['No trial belongs to what has changed since HEAD.'], '']);
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
  assert.ok(lines.includes('      skipped: A test needs the moon (there is no moon)'));
});

test('The runner counts the assertions of all files, and their CPU', () => {
  const { lines } = runTests({ first: 'asserts', second: 'asserts', 'third.ci': 'asserts' });
  assert.match(lines.at(-2) ?? '', /^12 assertions, \d+ s of CPU$/);
});

test('The runner names the ten slowest of more files, the slowest first', () => {
  const quick = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`quick-${index}`, 'passes']));
  const { lines } = runTests({ ...quick, slow: 'hangs' }, ['--timeout', '1']);
  const first = lines.indexOf('The slowest files:') + 1;
  const named = lines.slice(first, lines.indexOf('', first));
  for (const line of named) assert.match(line, /^ +\d+\.\d s \(CPU \d+\.\d s\) {2}\S+\.test\.js$/);
  const seconds = named.map((line) => Number.parseFloat(line));
  assert.equal(
    seconds,
    seconds.toSorted((a, b) => b - a),
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

whereMounted('The tests use another temporary folder and say so if nothing can be executed in the first', () => {
  const mounted = 'mount -t tmpfs -o noexec,mode=1777 tmpfs "$TMPDIR" && exec "$@"';
  const { lines } = runTests(['passes'], [], ['unshare', '--mount', 'sh', '-c', mounted, 'sh']);
  assert.match(lines[0] ?? '', /^Nothing can be executed in .*, so the tests use \/var\/tmp\. TMPDIR names another\.$/);
  assert.is(lines.at(-1), '2 passed, 0 failed');
});

test.run();

/** Runs the runner over a folder with these fixtures under the names of tests, or under those that they are given. */
function runTests(
  fixtures: readonly string[] | Readonly<Record<string, string>>,
  args: string[] = [],
  within: readonly string[] = [],
): { status: number | null; lines: string[]; stderr: string } {
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
    // Other work on the machine is nothing that these tests are about.
    const env = { ...process.env, TMPDIR: temporaryFolder(), TEST_SLOWNESS: '1' };
    const { status, stdout, stderr } = spawnSync(command, rest, { encoding: 'utf8', env });
    return { status, lines: stdout.trimEnd().split('\n'), stderr };
  } finally {
    rmSync(root, { recursive: true });
  }
}

function temporaryFile(name: string, text: string): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}
