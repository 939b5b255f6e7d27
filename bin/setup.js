#!/usr/bin/env node
// Makes a checkout runnable: installs, then builds, only what is stale. npm calls it before `start`, `test` and
// `check`: plain JavaScript for Node 18 or newer. package.json runs it under `flock`, so runs do not overlap.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

const TSC = 'node_modules/typescript/bin/tsc';
const LOCKED = ['package.json', 'package-lock.json'];
/** Node before 22.18 strips types only on request. */
const API_TYPES = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning', 'bin/api-types.js'];
const BUILD_FAILED = 'the build failed: fix the errors above, then run this again.';
/** `script`: makes the output. `stamp`: written afterwards, with the time when the build began. */
const PROGRAM = {
  script: 'bin/bundle.js',
  stamp: 'dist/.built',
  inputs: ['src', 'test', 'schemas', 'tsconfig.json', 'bin/api-types.js', 'bin/bundle.js', ...LOCKED],
};
/** The compiler's output and build state. */
const COMPILED = ['dist/src', 'dist/test', 'dist/program', 'dist/.tsbuildinfo'];
/** Its API calls are checked against the description, built from schemas and contract. */
const WEB_APP = {
  script: 'bin/build-web.js',
  stamp: 'dist/.built-web',
  inputs: [
    'src/web',
    'src/contract',
    'schemas',
    'tsconfig.json',
    'bin/api-types.js',
    'bin/build-web.js',
    'bin/web-texts.js',
    ...LOCKED,
  ],
};

if (mustInstall()) await install();
const startedAt = new Date();
const stale = [PROGRAM, WEB_APP].filter(mustBuild);
const wasBuilt = existsSync(PROGRAM.stamp);
for (const { stamp } of stale) rmSync(stamp, { force: true });
if (stale.includes(PROGRAM) && !(await compile())) fail(BUILD_FAILED);
if (stale.includes(WEB_APP)) console.log('Building the web app …');
// In parallel, since each uses one core. Failures are reported after both ended, so that none runs on.
if ((await Promise.all(stale.map(build))).includes(false)) fail(BUILD_FAILED);

function mustInstall() {
  // A link leads to another's installation, which `npm ci` would empty.
  if (lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  return !existsSync(TSC) || changedMs('node_modules/.package-lock.json') < changedMs('package-lock.json');
}

async function install() {
  console.log('Installing the dependencies (npm ci), once: about half a minute …');
  const flags = ['ci', '--include=dev', '--loglevel=error'];
  // Runs its own Node by path, since `npm ci` removes node_modules/.bin/node meanwhile.
  const { npm_node_execpath: node, npm_execpath: npm } = process.env;
  const done = node && npm ? quietly(node, [npm, ...flags]) : quietly('npm', flags);
  if (!(await done)) {
    fail(
      'npm ci failed: see its messages above. Check that this machine can reach the package registry, then run this again.',
    );
  }
}

function mustBuild({ stamp, inputs }) {
  return newestMs(inputs) >= changedMs(stamp);
}

async function compile() {
  console.log('Building …');
  // The compiler keeps the output of deleted sources, so stale tests would run.
  if (!wasBuilt || hasOrphans()) {
    for (const path of COMPILED) rmSync(path, { recursive: true, force: true });
  }
  if (!(await quietly(newerNode(), API_TYPES)) || !(await quietly(process.execPath, [TSC]))) return false;
  writeFileSync('dist/build.json', `${JSON.stringify(buildOf())}\n`);
  return true;
}

/**
 * Returns the built commit. `build`: count, hash and whether changed (`587.gad8bb4b.dirty`); null outside a checkout,
 * as in an archive. `at`: the time of the commit. PUSHCTL_BUILD has both for an image without history.
 */
function buildOf() {
  if (process.env.PUSHCTL_BUILD) return JSON.parse(process.env.PUSHCTL_BUILD);
  const now = new Date().toISOString();
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : null;
  };
  const hash = git('rev-parse', '--short=7', 'HEAD');
  if (hash === null || git('rev-parse', '--show-toplevel') !== realpathSync('.')) return { build: null, at: now };
  const count = git('rev-parse', '--is-shallow-repository') === 'true' ? [] : [git('rev-list', '--count', 'HEAD')];
  const isDirty = git('status', '--porcelain', '--', ...PROGRAM.inputs) !== '';
  const build = [...count, `g${hash}`, ...(isDirty ? ['dirty'] : [])].join('.');
  const committed = git('log', '-1', '--no-show-signature', '--format=%ct');
  return { build, at: isDirty ? now : new Date(Number(committed) * 1000).toISOString() };
}

/** Returns the dependencies' Node, since Vite and the types may need a newer one than a fresh clone runs. */
function newerNode() {
  const own = 'node_modules/.bin/node';
  return existsSync(own) ? own : process.execPath;
}

async function build({ script, stamp }) {
  if (!(await quietly(newerNode(), [script]))) return false;
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt);
  return true;
}

function hasOrphans() {
  const outputs = ['dist/src', 'dist/test'].flatMap(entriesBelow).filter((path) => path.endsWith('.js'));
  return outputs.some((path) => {
    const source = path.slice('dist/'.length, -'.js'.length);
    return !existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`);
  });
}

/** Returns the latest change below the paths. A folder's is when a name came or went. */
function newestMs(paths) {
  return Math.max(...paths.flatMap((path) => [path, ...entriesBelow(path)]).map(changedMs));
}

function entriesBelow(folder) {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...entriesBelow(path)] : [path];
  });
}

/** 0 where there is nothing. */
function changedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Runs a command; returns whether it succeeded. Shows its standard output only after a failure or on request. */
async function quietly(command, args) {
  const isBuild = process.env.npm_lifecycle_event === 'build';
  const child = spawn(command, args, { stdio: ['inherit', isBuild ? 'inherit' : 'pipe', 'inherit'] });
  const output = [];
  child.stdout?.on('data', (chunk) => output.push(chunk));
  const status = await new Promise((resolve) => {
    child.on('close', resolve);
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(null);
    });
  });
  if (status !== 0) process.stdout.write(Buffer.concat(output));
  return status === 0;
}

function fail(message) {
  console.error(`set-up: ${message}`);
  process.exit(1);
}
