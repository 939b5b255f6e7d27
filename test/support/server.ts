import { pino } from 'pino';
import { loadConfig } from '../../src/config/load.ts';
import { toText } from '../../src/config/sources.ts';
import type { BrowserSubscription } from '../../src/contract/addresses/address.ts';
import { packageVersion } from '../../src/process/package.ts';
import type { SandboxSettings } from '../../src/sandbox/credentials.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../src/server/server.ts';
import type { StoreClient } from '../../src/store/calls.ts';
import { socketPath } from '../../src/store/data-folder.ts';
import { connectSocket } from '../../src/store/transports/socket-client.ts';
import { ADA } from './cast.ts';
import { dataFolder } from './data-folder.ts';
import { temporaryFolder } from './folder.ts';
import { plainRequest } from './plain-request.ts';
import type { Resources } from './resources.ts';
import type { Sandbox, SandboxOptions } from './sandbox/start.ts';
import type { TokenRequest } from './sandbox/tokens.ts';
import { aSandbox } from './sandbox.ts';
import { until } from './until.ts';
import { type Additions, additionsTo, populate } from './workspace.ts';

const LATE_WORKER = new URL('./late-worker.js', import.meta.url);

export type Env = Readonly<Record<string, string>>;

/** The environment that points a server at this sandbox, with quick retries. */
export async function serverEnv(sandbox: Sandbox, overrides: Env = {}): Promise<Env> {
  const settings = await sandbox.writeCredentials(temporaryFolder());
  return {
    PUSHCTL_DATA_DIR: dataFolder(),
    PUSHCTL_LISTEN: '127.0.0.1:0',
    PUSHCTL_LIMITS_BURST_PER_MINUTE: '1000000',
    PUSHCTL_DELIVERY_THREADS: '1',
    PUSHCTL_DELIVERY_RETRY_FIRST: '50ms',
    PUSHCTL_DELIVERY_RETRY_BUSY_FIRST: '50ms',
    PUSHCTL_DELIVERY_RETRY_MAX: '200ms',
    ...asEnv(settings),
    ...overrides,
  };
}

export interface TestServer {
  readonly server: RunningServer;
  readonly sandbox: Sandbox;
  readonly env: Env;
  readonly team: Team;
}

export interface TestServerOptions {
  /** May depend on the sandbox. */
  readonly env?: Env | ((sandbox: Sandbox) => Promise<Env>);
  readonly sandbox?: SandboxOptions;
  readonly pool?: ServerOptions['pool'];
  readonly webFolder?: ServerOptions['webFolder'];
  /** Takes what would have been written to stdout. */
  readonly log?: (line: string) => void;
}

/** The whole server in this process with a sandbox behind it, and a team to post for. */
export async function startTestServer(opened: Resources, options: TestServerOptions = {}): Promise<TestServer> {
  const sandbox = opened.add(await aSandbox(options.sandbox));
  const env = await serverEnv(sandbox, typeof options.env === 'function' ? await options.env(sandbox) : options.env);
  const server = await serveHere(opened, env, options);
  const team = opened.add(await aTeam(env, server.url));
  return { server, sandbox, env, team };
}

/** A server of this environment in this process. */
export async function serveHere(
  opened: Resources,
  env: Env,
  { log, pool, webFolder }: Pick<TestServerOptions, 'log' | 'pool' | 'webFolder'> = {},
): Promise<RunningServer> {
  const server = await startServer(loadConfig({ env }), {
    version: packageVersion(),
    log: log ? pino({ level: 'debug' }, { write: log }) : pino({ level: 'silent' }),
    pool: { worker: LATE_WORKER, ...pool },
    ...(webFolder && { webFolder }),
  });
  opened.onEnd(() => server.stop());
  return server;
}

/** A workspace of a whole server, made through its socket as the CLI would, with a key to post by. */
export interface Team extends Omit<Additions, 'addDevice'> {
  /** `acme` by default. */
  readonly slug: string;
  /** Their address; Ada's by default. */
  readonly owner: string;
  readonly store: StoreClient;
  readonly key: string;
  /** Registers a device of the sandbox, subscribed to `alerts` or the named channel. Answers its public id and token. */
  addDevice(sandbox: Sandbox, request: TokenRequest, channel?: string): Promise<{ id: string; token: string }>;
  /** Registers a browser, subscribed to `alerts`. Answers its public id. */
  addBrowser(subscription: BrowserSubscription): Promise<string>;
  post(body?: Readonly<Record<string, unknown>>): Promise<{ status: number; body: PostAnswer }>;
  /** The answer of GET /v1/events/{public_id}. */
  read(publicId: string): Promise<EventAnswer>;
  close(): Promise<void>;
}
interface PostAnswer {
  readonly event: { readonly public_id: string; readonly target_device_count: number };
}
export interface EventAnswer {
  readonly event: { readonly public_id: string; readonly received_at?: string };
  readonly deliveries: Readonly<Record<string, number>>;
}

/** Returns a team of the server. If the workspace is there already, the team gets another key. */
export async function aTeam(env: Env, url: string, { slug = 'acme', owner = ADA } = {}): Promise<Team> {
  const path = socketPath(String(env.PUSHCTL_DATA_DIR));
  const store = await connectSocket({ path, version: packageVersion() });
  if (!store) throw new Error(`no server behind ${path}`);
  const isThere = (await store.listWorkspaces({})).some((workspace) => workspace.slug === slug);
  if (!isThere) await populate(store, { workspace: slug, owner });
  const workspace = additionsTo(store, { workspace: slug, owner });
  const { text: key } = await workspace.issueKey();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

  return {
    ...workspace,
    slug,
    owner,
    store,
    key,
    async addDevice(sandbox, request, channel = 'alerts') {
      const { platform, environment, tokenKind, app } = request;
      const token = sandbox.token(request);
      const id = await workspace.addDevice({
        platform,
        subscribe: [channel],
        ...(platform === 'web'
          ? { subscription: { endpoint: token, keys: sandbox.webpush.keysOf(token) } }
          : { token }),
        ...(environment && { environment }),
        ...(tokenKind && { tokenKind }),
        ...(app && { app }),
      });
      return { id, token };
    },
    addBrowser: ({ endpoint, keys }) => workspace.addDevice({ platform: 'web', subscription: { endpoint, keys } }),
    async post(body = {}) {
      const text = JSON.stringify({ channel: 'alerts', title: 'Disk full', ...body });
      const answer = await plainRequest(`${url}/api/v1/events`, { method: 'POST', headers, body: text });
      return { status: answer.status, body: JSON.parse(answer.text) as PostAnswer };
    },
    async read(publicId) {
      const { text } = await plainRequest(`${url}/api/v1/events/${publicId}`, { headers });
      return JSON.parse(text) as EventAnswer;
    },
    close: () => store.close(),
  };
}

/** The event once nothing of it is pending any more. */
export async function settled(team: Pick<Team, 'read'>, publicId: string): Promise<EventAnswer> {
  let answer = await team.read(publicId);
  await until(`an end of ${publicId}`, async () => {
    answer = await team.read(publicId);
    return answer.deliveries.pending === 0 || answer;
  });
  return answer;
}

export function asEnv(settings: SandboxSettings): Env {
  const entries = Object.entries(settings).flatMap(([table, values]) =>
    Object.entries(values).map(([name, value]) => [`PUSHCTL_${table}_${name}`.toUpperCase(), toText(value)]),
  );
  return Object.fromEntries(entries);
}
