/** Other servers that take and keep messages, as their own documentation sets them up, on loopback and in a folder. */
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { Executable } from './processes/executable.ts';
import type { Target } from './processes/poster.ts';

export type PeerName = 'ntfy' | 'gotify';
/** Where each can be executed, of those that are there. */
export type Binaries = Readonly<Partial<Record<PeerName, string>>>;

export interface Peer {
  readonly process: Executable;
  readonly version: string;
  readonly target: Omit<Target, 'channel'>;
  /** Throws where the database is not as it was asked for, and what its kind promises would be untrue. */
  readonly check: () => void;
}

interface PeerKind {
  readonly title: string;
  /** What an answer means, with the settings below. */
  readonly promises: string;
  /** In `folder`, which exists. Rejects where the binary is none, or none of this server. */
  readonly start: (binary: string, folder: string) => Promise<Peer>;
}

const SYNCED = 'each synced before its answer (SQLite, WAL, synchronous FULL)';

export const PEERS: Readonly<Record<PeerName, PeerKind>> = {
  ntfy: { title: 'ntfy', promises: SYNCED, start: startNtfy },
  gotify: { title: 'Gotify', promises: SYNCED, start: startGotify },
};

const EXECUTED_MS = 10_000;

/** https://docs.ntfy.sh/config/ */
async function startNtfy(binary: string, folder: string): Promise<Peer> {
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const cacheFile = join(folder, 'cache.db');
  const settings = {
    'listen-http': address,
    'cache-file': cacheFile,
    'cache-startup-queries': 'pragma journal_mode = WAL; pragma synchronous = FULL;',
    'visitor-request-limit-exempt-hosts': '127.0.0.1',
    'log-level': 'error',
  };
  const config = join(folder, 'server.yml');
  const yaml = Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  writeFileSync(config, yaml.join(''));
  const process = await Executable.start(binary, {
    args: ['serve', '--config', config],
    folder,
    healthUrl: `${url}/v1/health`,
  });
  return orEnd(process, async () => {
    const { stdout } = await promisify(execFile)(binary, ['--version'], { timeout: EXECUTED_MS });
    const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? 'unknown';
    return { process, version, target: { url, apiKey: '', form: 'ntfy' }, check: () => checkWal(cacheFile) };
  });
}

/** https://gotify.net/docs/config: an application of the first user, who is made with the database. */
async function startGotify(binary: string, folder: string): Promise<Peer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const database = join(folder, 'gotify.db');
  const process = await Executable.start(binary, {
    env: {
      GOTIFY_SERVER_LISTENADDR: '127.0.0.1',
      GOTIFY_SERVER_PORT: String(port),
      GOTIFY_DATABASE_DIALECT: 'sqlite3',
      GOTIFY_DATABASE_CONNECTION: `${database}?_journal_mode=WAL&_synchronous=FULL`,
      GOTIFY_DEFAULTUSER_NAME: 'admin',
      GOTIFY_DEFAULTUSER_PASS: 'admin',
    },
    folder,
    healthUrl: `${url}/health`,
  });
  return orEnd(process, async () => {
    const { version } = await ask<{ version: string }>(`${url}/version`);
    const { token } = await ask<{ token: string }>(`${url}/application`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa('admin:admin')}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'bench' }),
    });
    return { process, version, target: { url, apiKey: token, form: 'gotify' }, check: () => checkWal(database) };
  });
}

/** Nothing runs on where it cannot be used. */
async function orEnd(process: Executable, use: () => Promise<Peer>): Promise<Peer> {
  try {
    return await use();
  } catch (error) {
    await process.kill();
    throw error;
  }
}

async function ask<T>(url: string, request?: RequestInit): Promise<T> {
  const answer = await fetch(url, request);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** The log is there for as long as the database is open. */
function checkWal(database: string): void {
  if (!existsSync(`${database}-wal`)) throw new Error(`${database} has no write-ahead log`);
}
