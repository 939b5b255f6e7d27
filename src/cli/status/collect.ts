import { systemClock } from '../../clock.ts';
import { type Config, configuredRoutes } from '../../config/config.ts';
import { loadConfigFrom } from '../../config/load.ts';
import { checkAbsent, checkDisk, checkMoved, checkSetAside } from '../../host/doctor/database.ts';
import { examineFiles } from '../../host/doctor/doctor.ts';
import { type Finding, fail, warn } from '../../host/doctor/finding.ts';
import { pauseFindings, suspectFindings } from '../../host/doctor/routes.ts';
import { servedCertificate } from '../../host/doctor/served-certificate.ts';
import { displacedFinding } from '../../host/doctor/server.ts';
import { packageVersion } from '../../package.ts';
import { OperatorProblem } from '../../problem.ts';
import type { Route } from '../../push.ts';
import type { ServerStatus } from '../../server/status.ts';
import { openItemStream } from '../../store/carriers/socket-client.ts';
import { NoDatabase } from '../../store/sqlite/database.ts';
import { databasePath, socketPath } from '../../store/sqlite/files/folder.ts';
import { readOfflineStatus } from '../../store/sqlite/status-offline.ts';
import type { StoredStatus } from '../../store/stored-status.ts';
import { toTimestamp } from '../../timestamp.ts';
import type { CommandContext } from '../context.ts';
import { pauseOf } from '../route-pauses.ts';
import type { ReadDatabase, SharedDatabase } from './shared-database.ts';

/** What `status` tells, as its document. */
export interface Status {
  /** Null: it does not run, and `routes` has what the database knows. */
  readonly server: Omit<ServerStatus, 'routes'> | null;
  readonly data_dir: string;
  /** That several servers share; null: it is in the data folder, or cannot be reached. */
  readonly database: SharedDatabase | null;
  readonly routes: readonly {
    readonly route: Route;
    /** Null where it does not pause. Where no server runs, only an operator's pause is known. */
    readonly pause: ServerStatus['routes'][number]['pause'];
    readonly connections: number | null;
    readonly last_accepted_at: string | null;
    /** The beginning of the hour in which a push was last accepted, where the time itself is not known; null: never. */
    readonly last_accepted_hour: string | null;
  }[];
  readonly queue: StoredStatus['queue'];
  /** As served; null: no TLS, or no server. */
  readonly certificate: { readonly subject: string; readonly expires_at: string } | null;
  readonly last_backup: StoredStatus['lastBackup'];
  /** Problems found; `doctor` looks deeper. */
  readonly warnings: readonly Finding[];
}

const NOTHING_KNOWN: StoredStatus = {
  queue: [],
  acceptedHours: new Map(),
  lastBackup: null,
  routes: [],
  setAside: null,
  moved: null,
};
const LINKS_FULL = 0.9;

/** Asks the running server, and beside it the database and the files. Changes nothing, and asks nobody outside. */
export async function collectStatus(context: CommandContext): Promise<Status> {
  const loaded = loadConfigFrom(context.sources());
  const { config } = loaded;
  const clock = systemClock();
  const asked = await ask(config.dataDir);
  const { server } = asked;
  const { database, known: found, findings: ofDatabase } = await readDatabase(config);
  const known = found ?? NOTHING_KNOWN;
  const findings = [
    ...asked.findings,
    ...ofDatabase,
    ...examineFiles({ ...loaded, clock }),
    ...known.routes.flatMap(suspectFindings),
    ...(server === null ? [] : checkLinks(server.links)),
    ...(server?.displaced ? [displacedFinding(server.displaced)] : []),
    ...(server?.routes ?? []).flatMap(({ route, pause }) => pauseFindings(route, pause)),
  ];
  return {
    server: server === null ? null : withoutRoutes(server),
    data_dir: config.dataDir,
    database,
    routes: routesOf(config, server, known),
    queue: known.queue,
    certificate: server === null ? null : await certificateAt(server.url, config),
    last_backup: known.lastBackup,
    warnings: findings.filter(({ status }) => status !== 'ok'),
  };
}

/** Whether the server runs, sends on all routes, and nothing is wrong. */
export function isWell({ server, routes, warnings }: Status): boolean {
  return (
    server !== null && routes.every(({ pause }) => pause === null) && warnings.every(({ status }) => status !== 'fail')
  );
}

/** A server that runs and cannot be asked, say of another version, is no reason not to tell the rest. */
async function ask(dataDir: string): Promise<{ server: ServerStatus | null; findings: readonly Finding[] }> {
  const told = Promise.withResolvers<ServerStatus | null>();
  const onItem = (item: unknown): void => told.resolve(item as ServerStatus);
  try {
    const asking = { path: socketPath(dataDir), version: packageVersion(), call: 'status', args: {}, onItem };
    const stream = await openItemStream(asking);
    void stream?.ended.then(() => told.resolve(null), told.reject);
    if (stream === null) return { server: null, findings: [] };
    const server = await told.promise;
    await stream.close();
    return { server, findings: [] };
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return { server: null, findings: [fail('server', error.message, 'see above')] };
  }
}

async function readDatabase(config: Config): Promise<ReadDatabase> {
  if (config.store === null) return readOwnDatabase(config.dataDir);
  const { readSharedDatabase } = await import('./shared-database.ts');
  return readSharedDatabase(config);
}

async function readOwnDatabase(dataDir: string): Promise<ReadDatabase> {
  const disk = checkDisk(dataDir);
  try {
    const known = await readOfflineStatus(dataDir);
    return {
      database: null,
      known,
      findings: [...disk, ...checkMoved(databasePath(dataDir), known.moved), ...checkSetAside(known.setAside)],
    };
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return { database: null, known: null, findings: [whyNothingIsKnown(dataDir, error), ...disk] };
  }
}

/** Where a database has never been there is nothing to mend; one that was lost can be had again. */
function whyNothingIsKnown(dataDir: string, problem: OperatorProblem): Finding {
  const absent = problem instanceof NoDatabase ? checkAbsent(dataDir) : null;
  return absent?.status === 'fail' ? absent : warn('database', problem.message, 'see `pushctl doctor`');
}

function withoutRoutes({ routes: _, ...rest }: ServerStatus): Omit<ServerStatus, 'routes'> {
  return rest;
}

function routesOf(config: Config, server: ServerStatus | null, known: StoredStatus): Status['routes'] {
  return configuredRoutes(config).map((route) => {
    const live = server?.routes.find((one) => one.route === route);
    const stored = known.routes.find((one) => one.route === route);
    return {
      route,
      pause: server === null && stored ? pauseOf(stored) : (live?.pause ?? null),
      connections: live?.connections ?? null,
      last_accepted_at: live?.last_accepted_at ?? null,
      last_accepted_hour: known.acceptedHours.get(route) ?? null,
    };
  });
}

function checkLinks({ bytes, limit_bytes: most }: ServerStatus['links']): Finding[] {
  if (bytes < LINKS_FULL * most) return [];
  const message = `links of queued events take ${Math.round((100 * bytes) / most)} % of their memory; beyond it the oldest are dropped`;
  return [warn('links', message, 'set a larger limits.links_memory, or see why the queue does not move')];
}

async function certificateAt(url: string, { tls }: Config): Promise<Status['certificate']> {
  const { hostname, port } = new URL(url);
  const listen = { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port) || 443 };
  const certificate = await servedCertificate({ listen, tls });
  if (certificate === null) return null;
  const subject = certificate.subject?.replaceAll('\n', ', ') ?? '';
  return {
    subject: subject || (certificate.subjectAltName ?? ''),
    expires_at: toTimestamp(Date.parse(certificate.validTo)),
  };
}
