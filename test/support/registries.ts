import { spawnSync } from 'node:child_process';
import { temporaryFolder } from './folder.ts';

/**
 * The test's things from a package registry or Debian, in a folder of its own. Things that did not come in time are an
 * obstacle for `skipWhere`: most machines have no way to some registries.
 */
export interface Fetched {
  readonly folder: string;
  /** Null: it is there. */
  readonly obstacle: string | null;
}

type Command = readonly [program: string, ...args: string[]];

/** In seconds, of each command: a machine without a way out should not wait for long. */
const LIMIT_S = 90;
/** The time limit if all has to be compiled. */
const BUILD_LIMIT_S = 180;

/** Packages as `slack_sdk==3.47.0` in an environment of their own: `bin/python`, and their programs beside it. */
export function fromPypi(...packages: string[]): Fetched {
  return fetched(`${packages.join(', ')} of PyPI`, LIMIT_S, () => [
    ['python3', '-m', 'venv', '.'],
    ['bin/pip', 'install', '--quiet', '--disable-pip-version-check', '--retries=1', '--timeout=15', ...packages],
  ]);
}

/** Packages as `@slack/webhook@8.0.2`, in `node_modules`. */
export function fromNpm(...packages: string[]): Fetched {
  const briefly = ['--loglevel=error', '--no-audit', '--no-fund', '--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
  return fetched(`${packages.join(', ')} of npm`, LIMIT_S, (folder) => [
    ['npm', 'install', '--prefix', folder, '--ignore-scripts', ...briefly, ...packages],
  ]);
}

/** Programs of one module as `example.com/module/program@v1.2.3`, in `bin`. */
export function fromGo(...programs: string[]): Fetched {
  return fetched(`${programs.join(', ')} of Go`, BUILD_LIMIT_S, (folder) => [
    ['env', `GOBIN=${folder}/bin`, 'GOTOOLCHAIN=local', 'go', 'install', ...programs],
  ]);
}

/** The files of a Debian package below the folder, without any that it depends on. */
export function fromDebian(name: string): Fetched {
  return fetched(`${name} of Debian`, LIMIT_S, () => [
    ['apt-get', '--quiet', '--quiet', 'download', name],
    ['sh', '-c', 'exec dpkg-deb --extract *.deb .'],
  ]);
}

function fetched(what: string, limitS: number, commands: (folder: string) => readonly Command[]): Fetched {
  const folder = temporaryFolder();
  for (const command of commands(folder)) {
    const { status, stderr, error } = spawnSync('timeout', ['--kill-after=5', `${limitS}`, ...command], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status === 0) continue;
    const lines = (error?.message ?? stderr).trim().split('\n');
    const why = lines.find((line) => /\berror\b|^E: /i.test(line)) ?? lines.at(-1);
    return { folder, obstacle: `needs ${what}: ${status === 124 ? `not within ${limitS} s` : why}` };
  }
  return { folder, obstacle: null };
}
