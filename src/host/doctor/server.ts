import { createServer } from 'node:net';
import { type Config, listenUrlOf } from '../../config/config.ts';
import { SOCKET_UNITS, type SocketName } from '../../config/held-sockets.ts';
import type { ServerStatus } from '../../health/server-status.ts';
import { sendRequest } from '../../process/bounded-request.ts';
import { type Finding, fail, ok, warn } from '../../process/finding.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { socketPath } from '../../store/data-folder.ts';
import { askForItem } from '../../store/transports/socket-client.ts';
import { serviceDataDir } from '../installed.ts';
import type { Machine } from '../machine.ts';
import { heldPorts } from '../ports.ts';
import { output } from '../unit-sandbox.ts';
import { listenerOf } from './certificates.ts';

const SEE_LOG = 'see its log: journalctl -u pushctl -p err';

/** The server may also be starting or ending. */
const DOES_NOT_STAY_UP = fail('server', 'does not stay up', 'see the finding about systemd below');

/** The server's answers; null: not running, or unreachable. */
interface Asked {
  readonly server: ServerStatus | null;
  readonly findings: readonly Finding[];
}

interface Managed {
  readonly isRestarting: boolean;
  /** The socket that systemd should hold for `listen`; null: none. */
  readonly held: Pick<SocketState, 'unit' | 'address'> | null;
}

const DEADLINE_MS = 5_000;

/** Asks the running server; without one, finds out whether it could listen. */
export async function askServer(config: Config, version: string, { isRestarting, held }: Managed): Promise<Asked> {
  try {
    const server = await statusAt(socketPath(config.dataDir), version);
    if (server === null) return { server, findings: [await checkPort(config, isRestarting, held)] };
    const health = await checkHealth(config, server);
    if (isRestarting && health.status !== 'ok') return { server, findings: [DOES_NOT_STAY_UP] };
    const takesEvents = server.findings.every(({ stops }) => stops !== 'events');
    return { server, findings: takesEvents ? [health, ...server.findings] : server.findings };
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return { server: null, findings: [isRestarting ? DOES_NOT_STAY_UP : cannotBeAsked(error)] };
  }
}

/** Returns the status of the server on a socket; null: none. Throws an `OperatorProblem` if unreachable. */
export async function statusAt(path: string, version: string): Promise<ServerStatus | null> {
  return (await askForItem({ path, version, call: 'status' })) as ServerStatus | null;
}

/** It runs, but is silent or, say, of another version. */
function cannotBeAsked({ what, advice }: OperatorProblem): Finding {
  return fail('server', what, advice ?? 'see its log: journalctl -u pushctl');
}

async function checkHealth(config: Config, { socket, url: own }: ServerStatus): Promise<Finding> {
  const { host, port } = socket === null ? config.listen : listenerOf(own);
  if (port === 0) return ok('server', 'runs, on a port that it chose itself');
  const url = healthOf({ ...config, listen: { host, port } });
  const status = await httpStatus(url);
  const by = socket === null ? '' : `, which systemd holds (${socket})`;
  if (status === 200) return ok('server', `runs and answers on ${host} port ${port}${by}`);
  return fail(
    'server',
    `runs, but ${url} ${status === null ? 'does not answer' : `answers ${status}`}`,
    'see its log: journalctl -u pushctl; if `listen` has changed since it started: systemctl restart pushctl',
  );
}

function healthOf(config: Config): URL {
  return new URL('/healthz', listenUrlOf(config));
}

async function checkPort(config: Config, isRestarting: boolean, held: Managed['held']): Promise<Finding> {
  // The port's holder may be the restarted server, whose last words say more.
  if (isRestarting) return DOES_NOT_STAY_UP;
  if (held !== null) {
    return fail('server', `does not run; ${held.unit} opens ${held.address} when it starts`, 'systemctl start pushctl');
  }
  const { host, port } = config.listen;
  const code = await tryToListen(host, port);
  if (code === null) {
    const message = `does not run; ${host} port ${port} is free`;
    const advice = 'systemctl start pushctl, or pushctl serve';
    return fail('server', message, advice);
  }
  if (code === 'EADDRINUSE' && (await httpStatus(healthOf(config))) === 200) return lost(config);
  const advice =
    code === 'EACCES'
      ? 'set a port from 1024 on'
      : 'stop the program that uses the port, or set another port in `listen`';
  return fail('server', `does not run, and cannot listen on ${host} port ${port} (${code})`, advice);
}

/** It answers, but the files through which it is reached are gone. */
function lost({ dataDir, listen: { host, port } }: Config): Finding {
  const service = serviceDataDir();
  if (service !== null && service !== dataDir) {
    return fail(
      'server',
      `the service of this machine probably answers on ${host} port ${port}, and its data is in ${service}; no server runs on ${dataDir}`,
      'check the service as root: sudo pushctl doctor',
    );
  }
  return fail(
    'server',
    `a server answers on ${host} port ${port}, but it does not use ${dataDir}: the folder was deleted or moved, or the server has another one`,
    SEE_LOG,
  );
}

/** The error's code; null: it works. */
export function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

/** Returns a local server's HTTP status; null: no answer. Ignores the certificate, checked elsewhere. */
async function httpStatus(url: URL): Promise<number | null> {
  try {
    return (await sendRequest(url, { withinMs: DEADLINE_MS, mostBytes: 0, rejectUnauthorized: false })).status;
  } catch {
    return null;
  }
}

interface SocketState {
  readonly unit: (typeof SOCKET_UNITS)[SocketName];
  /** `active`, `failed` and so on, from systemd. */
  readonly state: string;
  /** `[::]:443`; empty where systemd does not say. */
  readonly address: string;
}

type SocketStates = Readonly<Partial<Record<SocketName, SocketState>>>;

/** Returns the ports that systemd holds, by enabled units. */
export function socketStates(machine: Pick<Machine, 'path'>): SocketStates {
  return Object.fromEntries(heldPorts(machine).map((name) => [name, stateOf(SOCKET_UNITS[name])]));
}

function stateOf(unit: SocketState['unit']): SocketState {
  const properties = output('/usr/bin/systemctl', ['show', unit, '--property=ActiveState,Listen']) ?? '';
  const [, state = 'unknown'] = /^ActiveState=(.*)$/m.exec(properties) ?? [];
  const [, address = ''] = /^Listen=(\S+)/m.exec(properties) ?? [];
  return { unit, state, address };
}

/**
 * Checks that the service listens where systemd is configured to. `server`: null if it does not run, so its sockets are
 * closed.
 */
export function checkSockets(
  sockets: SocketStates,
  server: Pick<ServerStatus, 'url' | 'socket' | 'redirects_from'> | null,
  { baseUrl, tls }: Pick<Config, 'baseUrl' | 'tls'>,
): Finding[] {
  if (server === null) return [];
  const { https, http } = sockets;
  return [
    ...(https ? [judged(https, server.socket !== null, `the server listens on ${server.url}`)] : []),
    ...(http ? [judged(http, server.redirects_from !== null, 'nothing redirects to HTTPS')] : []),
    // ACME names the server.
    ...(server.socket !== null && baseUrl === null && !tls?.acme ? [WITHOUT_BASE_URL] : []),
  ];
}

const WITHOUT_BASE_URL = warn(
  'base_url',
  'is not set, so commands and links use `listen`, but systemd holds another port for the server',
  'set it to the address that clients use: https://push.example.com/api',
);

function judged({ unit, state, address }: SocketState, isUsed: boolean, instead: string): Finding {
  if (isUsed) return ok(unit, `systemd holds ${address} for the server, also during restarts`);
  return fail(
    unit,
    `should hold ${address} for the server and does not (${state}): ${instead}`,
    `see why (another process may use the port): systemctl status ${unit}; then: systemctl stop pushctl; systemctl start pushctl`,
  );
}
