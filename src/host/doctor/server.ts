import { createServer } from 'node:net';
import { baseUrlOf, type Config } from '../../config/config.ts';
import { OperatorProblem } from '../../problem.ts';
import { StoreUnavailable } from '../../store/calls.ts';
import { connectSocket } from '../../store/carriers/socket-client.ts';
import { socketPath } from '../../store/sqlite/files/folder.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { httpStatus } from './http-status.ts';
import { routeFindings } from './routes.ts';

const SEE_LOG = 'do what its log says: journalctl -u pushctl -p err';

/** Also where it is met just as it starts or ends. */
const DOES_NOT_STAY_UP = fail('server', 'does not stay up', 'what systemd says of it below tells why');

/**
 * Whether the server runs and answers; where it does not run, whether it could listen. `isRestarting`: systemd starts
 * it again and again.
 */
export async function checkServer(config: Config, version: string, isRestarting = false): Promise<Finding[]> {
  try {
    const store = await connectSocket({ path: socketPath(config.dataDir), version });
    if (store === null) return [await checkPort(config, isRestarting)];
    try {
      const { displaced } = await store.ping({});
      if (displaced !== null) return [displacedFinding(displaced)];
      const health = await checkHealth(config);
      if (isRestarting && health.status !== 'ok') return [DOES_NOT_STAY_UP];
      return [health, ...routeFindings(await store.listRoutes({}))];
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof OperatorProblem || error instanceof StoreUnavailable)) throw error;
    if (isRestarting) return [DOES_NOT_STAY_UP];
    return [fail('server', error.message, 'see above')];
  }
}

/** A server whose database has lost its place promises nothing more. */
export function displacedFinding(displaced: string): Finding {
  return fail('server', `runs, but takes no events: ${displaced}`, SEE_LOG);
}

async function checkHealth(config: Config): Promise<Finding> {
  const { host, port } = config.listen;
  if (port === 0) return ok('server', 'runs, on a port of its own choice');
  const url = healthOf(config);
  const status = await httpStatus(url);
  if (status === 200) return ok('server', `runs and answers on ${host} port ${port}`);
  return fail(
    'server',
    `runs, but ${url} ${status === null ? 'does not answer' : `answers ${status}`}`,
    'look at its log: journalctl -u pushctl; if `listen` was changed since its start: systemctl restart pushctl',
  );
}

function healthOf(config: Config): URL {
  return new URL('/healthz', baseUrlOf({ ...config, baseUrl: null }));
}

async function checkPort(config: Config, isRestarting: boolean): Promise<Finding> {
  const { host, port } = config.listen;
  const code = await tryToListen(host, port);
  if (code === null && isRestarting) return DOES_NOT_STAY_UP;
  if (code === null) {
    return warn(
      'server',
      `does not run; ${host} port ${port} is free for it`,
      'systemctl start pushctl, or pushctl serve',
    );
  }
  if (code === 'EADDRINUSE' && (await httpStatus(healthOf(config))) === 200) return lost(config);
  const advice =
    code === 'EACCES' ? 'set a port from 1024 on' : 'end what listens there, or set another port in `listen`';
  return fail('server', `does not run, and cannot listen on ${host} port ${port} (${code})`, advice);
}

/** It answers, but nobody finds the files through which it is spoken to. */
function lost({ dataDir, listen: { host, port } }: Config): Finding {
  return fail(
    'server',
    `a server answers on ${host} port ${port}, but has nothing open in ${dataDir}: that folder was deleted or moved, or its data is in another`,
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
