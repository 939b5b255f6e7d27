import { spawn } from 'node:child_process';
import type { X509Certificate } from 'node:crypto';
import { dirname, isAbsolute } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { configuredRoutes } from '../../config/config.ts';
import { pauseOf } from '../../health/findings.ts';
import type { ServerStatus } from '../../health/server-status.ts';
import { certificateAt } from '../../host/doctor/certificates.ts';
import type { Gathered } from '../../host/doctor/examined.ts';
import { gather } from '../../host/doctor/gather.ts';
import { statusAt } from '../../host/doctor/server.ts';
import { serviceDataDir } from '../../host/installed.ts';
import { systemClock } from '../../process/clock.ts';
import type { Finding } from '../../process/finding.ts';
import { packageTimeMs, packageVersion } from '../../process/package.ts';
import { OperatorProblem } from '../../process/problem.ts';
import type { Route } from '../../push.ts';
import type { KnownBackup, StoredStatus } from '../../store/stored-status.ts';
import { toTimestamp, toTimestampOrNull } from '../../values/timestamp.ts';
import type { CommandContext } from '../context.ts';
import { withBroken } from '../loaded.ts';
import { type NodeDocument, nodeDocument } from '../output/node-table.ts';

export interface Status {
  /** Null: no server runs; `routes` is from the database. */
  readonly server: Omit<ServerStatus, 'routes' | 'findings' | 'stored'> | null;
  readonly data_dir: string;
  /** The time of the sources; null: unknown. */
  readonly version_from: string | null;
  /** The shared database: `host:port/database`, and PostgreSQL's version; null: in the data folder, or unreachable. */
  readonly database: {
    readonly place: string;
    readonly version: string;
    readonly nodes: readonly NodeDocument[];
  } | null;
  readonly routes: readonly {
    readonly route: Route;
    /** Null: not paused. Without a server, only operators' pauses are known. */
    readonly pause: ServerStatus['routes'][number]['pause'];
    readonly connections: number | null;
    readonly last_accepted_at: string | null;
    /** The hour of the last accepted push if the exact time is unknown; null: never. */
    readonly last_accepted_hour: string | null;
  }[];
  readonly queue: StoredStatus['queue'];
  /** Null: no TLS, or no server. */
  readonly certificate: { readonly subject: string; readonly expires_at: string } | null;
  /** The newest existing file; null: none. */
  readonly last_backup: StoredStatus['lastBackup'];
  /** null: nothing is known. */
  readonly heartbeats: StoredStatus['heartbeats'] | null;
  /** Current maintenance, first to end first; at most five windows. */
  readonly maintenance: StoredStatus['maintenance']['first'];
  /** Problems found; `doctor` looks deeper. */
  readonly warnings: readonly Finding[];
}

/** Asks server, database and files. Changes nothing, asks nobody outside. */
export async function collectStatus(context: CommandContext): Promise<Status> {
  const loaded = await context.loaded();
  const { config } = loaded;
  const gathered = await gather({ ...loaded, version: packageVersion(), clock: systemClock() }, false);
  const findings = withBroken(loaded, gathered.findings);
  return statusOf({ ...gathered, findings }, config.dataDir, configuredRoutes(config));
}

/** Reads only what the reading socket shows. */
export async function readStatus(socket: string): Promise<Status> {
  const server = await statusAt(socket, packageVersion());
  if (server === null) throw new OperatorProblem(`no server answers at ${socket}.`);
  const { stored, findings } = server;
  const certificate = server.url.startsWith('https:') ? await certificateAt(server.url) : null;
  return statusOf({ server, stored, shared: null, certificate, findings }, serviceDataDir() ?? dirname(socket), []);
}

/** Assembles the document. `configured`: the routes without a server; a running server's may differ. */
async function statusOf(gathered: Gathered, dataDir: string, configured: readonly Route[]): Promise<Status> {
  const { server, stored, shared, certificate, findings } = gathered;
  return {
    server: server && itself(server),
    data_dir: dataDir,
    version_from: toTimestampOrNull(packageTimeMs()),
    database: shared && { place: shared.place, version: shared.version, nodes: shared.nodes.map(nodeDocument) },
    routes: routesOf(server?.routes.map(({ route }) => route) ?? configured, server, stored),
    queue: stored?.queue ?? [],
    certificate: certificate && shownCertificate(certificate),
    last_backup: stored && (await existingBackup(stored)),
    heartbeats: stored?.heartbeats ?? null,
    maintenance: stored?.maintenance.first ?? [],
    warnings: findings.filter(({ status }) => status !== 'ok'),
  };
}

/** Removes parts found elsewhere in the document. */
function itself({ routes: _, findings: __, stored: ___, ...rest }: ServerStatus): NonNullable<Status['server']> {
  return rest;
}

function routesOf(
  routes: readonly Route[],
  server: ServerStatus | null,
  known: ServerStatus['stored'],
): Status['routes'] {
  return routes.map((route) => {
    const live = server?.routes.find((row) => row.route === route);
    const stored = known?.routes.find((row) => row.route === route);
    return {
      route,
      pause: server === null && stored ? pauseOf(stored) : (live?.pause ?? null),
      connections: live?.connections ?? null,
      last_accepted_at: live?.last_accepted_at ?? null,
      last_accepted_hour: known?.acceptedHours[route] ?? null,
    };
  });
}

function shownCertificate({ subject, subjectAltName, validTo }: X509Certificate): NonNullable<Status['certificate']> {
  const shown = subject?.replaceAll('\n', ', ') ?? '';
  return { subject: shown || (subjectAltName ?? ''), expires_at: toTimestamp(Date.parse(validTo)) };
}

const DEADLINE_MS = 2_000;

/**
 * Returns the newest existing backup, as far as this user sees; null: none. It counts as there if its file system
 * hangs.
 */
export async function existingBackup(
  { lastBackup, earlierBackups }: Pick<StoredStatus, 'lastBackup' | 'earlierBackups'>,
  { program = 'stat', deadlineMs = DEADLINE_MS } = {},
): Promise<KnownBackup | null> {
  const ending = new AbortController();
  const deadline = pause(deadlineMs, null, { signal: ending.signal }).catch(() => null);
  try {
    for (const backup of lastBackup === null ? [] : [lastBackup, ...earlierBackups]) {
      if (!(await isGone(backup.file, program, deadline))) return backup;
    }
    return null;
  } finally {
    ending.abort();
  }
}

/** Asks another program: on a hung mount, a call here would block the exit. `-` is standard output. */
async function isGone(file: string, program: string, deadline: Promise<null>): Promise<boolean> {
  if (!isAbsolute(file)) return false;
  const child = spawn(program, ['--', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  child.on('error', () => {});
  const output = await Promise.race([text(child.stderr).catch(() => ''), deadline]);
  if (output === null) {
    child.kill('SIGKILL');
    child.stderr.destroy();
    child.unref();
  }
  return output?.trimEnd().endsWith(': No such file or directory') ?? false;
}
