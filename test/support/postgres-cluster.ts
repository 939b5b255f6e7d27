import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { programsFor } from './postgres-programs.ts';
import { until } from './until.ts';

/** A PostgreSQL of the tests' own, on a Unix socket alone. Its superuser is `postgres`, and needs no password. */
export interface Cluster {
  /** Holds its socket. */
  readonly folder: string;
  /** Its files. */
  readonly data: string;
  /** Restarts it, with these settings beside its first ones. */
  start(settings?: Settings): Promise<void>;
  /** Ends it at once, whatever it is at: its next start recovers from its log, as after a crash. */
  stop(): Promise<void>;
}

/** Lines of postgresql.conf. */
export type Settings = Readonly<Record<string, string>>;

/** Data that only the failure of a machine would lose may be lost. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '200', shared_buffers: '64MB' };

/**
 * Makes a cluster in an empty folder, and starts it. It ends with this process at the latest, however that ends.
 * `programs`: the folder of those of another PostgreSQL.
 */
export async function startCluster(folder: string, settings: Settings = {}, programs?: string): Promise<Cluster> {
  const data = join(folder, 'data');
  mkdirSync(data);
  const run = programsFor(folder, data, programs);
  const made = run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']);
  const { status, stderr, error } = spawnSync(made.file, made.args, { env: made.env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`);
  return startOver(folder, settings, programs);
}

/** Starts the cluster whose files are in `data` of this folder. */
export async function startOver(folder: string, settings: Settings = {}, programs?: string): Promise<Cluster> {
  const data = join(folder, 'data');
  let server: ChildProcess | undefined;
  const cluster: Cluster = {
    folder,
    data,
    async start(more = {}) {
      server = await started(folder, data, { ...settings, ...more }, programs);
    },
    async stop() {
      if (server !== undefined) await stop(server);
    },
  };
  await cluster.start();
  return cluster;
}

async function started(folder: string, data: string, settings: Settings, programs?: string): Promise<ChildProcess> {
  const all = { listen_addresses: '', unix_socket_directories: folder, ...SETTINGS, ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { file, args, env } = programsFor(folder, data, programs)('postgres', ['-D', data, ...options]);
  const logPath = join(folder, 'log');
  // The leftovers of a crash would look like a server that is ready.
  rmSync(pidPath(data), { force: true });
  const log = openSync(logPath, 'w');
  const server = spawn(file, args, { env, stdio: ['ignore', log, log] });
  closeSync(log);
  await until('PostgreSQL takes connections', () => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${readFileSync(logPath, 'utf8')}`);
    return isReady(data);
  });
  // So that it keeps no process from ending.
  server.unref();
  return server;
}

/** Checks like `pg_ctl`. */
function isReady(data: string): boolean {
  try {
    return ['ready', 'standby'].includes(readFileSync(pidPath(data), 'utf8').split('\n')[7]?.trim() ?? '');
  } catch {
    return false;
  }
}

function pidPath(data: string): string {
  return join(data, 'postmaster.pid');
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.ref();
  const ended = once(server, 'exit');
  server.kill('SIGQUIT');
  await ended;
}
