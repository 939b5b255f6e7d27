import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

test('The set-up installs and builds a fresh checkout, and has nothing to do the second time', () => {
  withCheckout(({ setUp, calls }) => {
    const first = setUp();
    assert.is(first.status, 0);
    assert.match(first.stdout, /^Installing the dependencies [^\n]*\nBuilding …\nBuilding the web app …\n$/);
    assert.equal(calls(), ['npm ci --include=dev --loglevel=error', 'types', 'tsc', 'bundle', 'web']);
    assert.is(setUp().stdout, '');
    assert.is(calls().length, 5);
  });
});

test('The set-up installs again if the lock has changed', () => {
  withCheckout(({ root, setUp, calls }) => {
    setUp();
    touch(join(root, 'package-lock.json'));
    setUp();
    assert.equal(calls().map(firstWord), [
      'npm',
      'types',
      'tsc',
      'bundle',
      'web',
      'npm',
      'types',
      'tsc',
      'bundle',
      'web',
    ]);
  });
});

test('The set-up says what to do if npm ci fails, and builds nothing', () => {
  withCheckout(({ root, setUp, calls }) => {
    const { status, stderr } = setUp({ NPM_FAILS: '1' });
    assert.is(status, 1);
    assert.match(stderr, /^set-up: npm ci failed: .*can reach the package registry/m);
    assert.not(calls().includes('tsc'));
    assert.not(existsSync(join(root, 'dist')));
  });
});

test('The set-up never installs into a node_modules that is a link', () => {
  withCheckout(({ root, setUp, calls }) => {
    const elsewhere = join(root, 'elsewhere');
    mkdirSync(join(elsewhere, 'typescript/bin'), { recursive: true });
    writeFileSync(join(elsewhere, 'typescript/bin/tsc'), TSC);
    symlinkSync(elsewhere, join(root, 'node_modules'));
    assert.is(setUp().status, 0);
    assert.equal(calls(), ['types', 'tsc', 'bundle', 'web']);
  });
});

const COMMITTED = '2026-01-01T00:00:00.000Z';

test('A build says which commit it is of, and whether anything was changed since; what is no checkout says nothing', () => {
  withCheckout(({ root, setUp }) => {
    const built = () =>
      JSON.parse(readFileSync(join(root, 'dist/build.json'), 'utf8')) as { build: string | null; at: string };
    const git = (...args: string[]) => {
      const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
      const env = { ...process.env, GIT_COMMITTER_DATE: COMMITTED };
      assert.is(spawnSync('git', ['-C', root, ...who, ...args], { env }).status, 0, args.join(' '));
    };
    setUp();
    assert.is(built().build, null);
    assert.ok(built().at > COMMITTED);
    git('init', '-q');
    git('add', 'src', 'bin/bundle.js', 'bin/api-types.js', 'package.json', 'package-lock.json', 'tsconfig.json');
    git('commit', '-qm', 'First');
    git('commit', '-q', '--allow-empty', '-m', 'Second');
    touch(join(root, 'src/a.ts'));
    setUp();
    assert.match(String(built().build), /^2\.g[0-9a-f]{7}$/);
    assert.is(built().at, COMMITTED, 'an old commit is no newer for being built now');
    writeFileSync(join(root, 'src/a.ts'), 'changed');
    setUp();
    assert.match(String(built().build), /^2\.g[0-9a-f]{7}\.dirty$/);
    assert.ok(built().at > COMMITTED);
  });
});

test('The output of npm and the builders is shown if they fail, or if somebody runs a build', () => {
  withCheckout(({ root, setUp }) => {
    const failed = setUp({ TSC_FAILS: '1' });
    assert.match(failed.stdout, /^Building …\nsaid by tsc$/m);
    assert.not.match(failed.stdout, 'said by npm');
    touch(join(root, 'src/a.ts'));
    assert.match(setUp({ npm_lifecycle_event: 'build' }).stdout, /^said by tsc$/m);
  });
});

test('The set-up builds again if a source has changed, come or gone', () => {
  withCheckout(({ root, setUp, calls }) => {
    setUp();
    const changes = [
      () => touch(join(root, 'src/a.ts')),
      () => writeFileSync(join(root, 'src/b.ts'), ''),
      () => rmSync(join(root, 'src/b.ts')),
    ];
    for (const change of changes) {
      change();
      const before = calls().length;
      setUp();
      assert.equal(calls().slice(before), ['types', 'tsc', 'bundle'], String(change));
    }
  });
});

test('The set-up leaves nothing in dist of a source that is gone', () => {
  withCheckout(({ root, setUp }) => {
    setUp();
    writeFileSync(join(root, 'dist/src/gone.js'), '');
    touch(join(root, 'src/a.ts'));
    setUp();
    assert.not(existsSync(join(root, 'dist/src/gone.js')));
    assert.ok(existsSync(join(root, 'dist/src/a.js')));
  });
});

test('A build that failed is not taken for one', () => {
  withCheckout(({ root, setUp, calls }) => {
    setUp();
    touch(join(root, 'src/a.ts'));
    for (const failing of ['TYPES_FAIL', 'TSC_FAILS', 'BUNDLE_FAILS']) {
      const failed = setUp({ [failing]: '1' });
      assert.is(failed.status, 1);
      assert.match(failed.stderr, /^set-up: the build failed/m);
    }
    assert.is(setUp().status, 0);
    assert.equal(calls().slice(5), [
      'types',
      ...['types', 'tsc'],
      ...['types', 'tsc', 'bundle'],
      ...['types', 'tsc', 'bundle'],
    ]);
  });
});

test('If the program cannot be bundled, the web app is built to its end all the same', () => {
  withCheckout(({ setUp, calls }) => {
    assert.is(setUp({ BUNDLE_FAILS: '1' }).status, 1);
    assert.is(setUp().status, 0);
    assert.equal(calls().map(firstWord), ['npm', 'types', 'tsc', 'bundle', 'web', 'types', 'tsc', 'bundle']);
  });
});

test('The web app is built again if its sources have changed, or its build failed', () => {
  withCheckout(({ root, setUp, calls }) => {
    setUp();
    mkdirSync(join(root, 'src/web'));
    writeFileSync(join(root, 'src/web/page.tsx'), '');
    const failed = setUp({ WEB_FAILS: '1' });
    assert.is(failed.status, 1);
    assert.match(failed.stderr, /^set-up: the build failed/m);
    assert.is(setUp().status, 0);
    assert.equal(calls().map(firstWord), [
      'npm',
      'types',
      'tsc',
      'bundle',
      'web',
      'types',
      'tsc',
      'bundle',
      'web',
      'web',
    ]);
  });
});

test.run();

/** Stands in for the compiler: copies each source to where its output belongs. */
const TSC = `
const { appendFileSync, cpSync, readdirSync } = require('node:fs');
appendFileSync('calls', 'tsc\\n');
console.log('said by tsc');
if (process.env.TSC_FAILS) process.exit(2);
for (const name of readdirSync('src')) cpSync('src/' + name, 'dist/src/' + name.replace('.ts', '.js'), { recursive: true });
`;

/** Stands in for what makes the types of the API. */
const TYPES = `
import { appendFileSync } from 'node:fs';
appendFileSync('calls', 'types\\n');
if (process.env.TYPES_FAIL) process.exit(1);
`;

/** Stands in for what bundles the program. */
const BUNDLE = `
import { appendFileSync } from 'node:fs';
appendFileSync('calls', 'bundle\\n');
if (process.env.BUNDLE_FAILS) process.exit(1);
`;

/** Stands in for the build of the web app. */
const WEB = `
import { appendFileSync } from 'node:fs';
appendFileSync('calls', 'web\\n');
if (process.env.WEB_FAILS) process.exit(1);
`;

/** Stands in for npm: installs nothing but that compiler, and needs no network. */
const NPM = `
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
appendFileSync('calls', ['npm', ...process.argv.slice(2)].join(' ') + '\\n');
console.log('said by npm');
if (process.env.NPM_FAILS) process.exit(1);
mkdirSync('node_modules/typescript/bin', { recursive: true });
writeFileSync('node_modules/typescript/bin/tsc', ${JSON.stringify(TSC)});
writeFileSync('node_modules/.package-lock.json', '{}');
`;

interface Checkout {
  readonly root: string;
  readonly setUp: (env?: Record<string, string>) => { status: number | null; stdout: string; stderr: string };
  /** The calls of the set-up so far; among parallel calls, the bundle is first. */
  readonly calls: () => string[];
}

/** A checkout with one source and the two stand-ins. */
function withCheckout(body: (checkout: Checkout) => void): void {
  const root = mkdtempSync(join(tmpdir(), 'checkout-'));
  try {
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, 'src/a.ts'), '');
    for (const name of ['package.json', 'package-lock.json', 'tsconfig.json']) writeFileSync(join(root, name), '{}');
    writeFileSync(join(root, 'npm.js'), NPM);
    cpSync(join(import.meta.dirname, '../../bin/setup.js'), join(root, 'bin/setup.js'));
    writeFileSync(join(root, 'bin/api-types.js'), TYPES);
    writeFileSync(join(root, 'bin/bundle.js'), BUNDLE);
    writeFileSync(join(root, 'bin/build-web.js'), WEB);
    writeFileSync(join(root, 'bin/package.json'), '{ "type": "module" }');
    const npm = { npm_node_execpath: process.execPath, npm_execpath: join(root, 'npm.js') };
    body({
      root,
      setUp: (env = {}) =>
        spawnSync(process.execPath, [join(root, 'bin/setup.js')], {
          encoding: 'utf8',
          env: { ...process.env, ...npm, npm_lifecycle_event: 'prestart', ...env },
        }),
      calls: () =>
        readFileSync(join(root, 'calls'), 'utf8').trim().replaceAll('web\nbundle', 'bundle\nweb').split('\n'),
    });
  } finally {
    rmSync(root, { recursive: true });
  }
}

function touch(path: string): void {
  const now = new Date();
  utimesSync(path, now, now);
}

function firstWord(line: string): string | undefined {
  return line.split(' ')[0];
}
