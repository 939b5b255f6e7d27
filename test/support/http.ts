import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { buffer, text as readText } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Config } from '../../src/config/config.ts';
import { SESSION_COOKIE } from '../../src/contract/secret-token.ts';
import { type App, createApp } from '../../src/http/app.ts';
import { type RunningHttp, startHttp, type Timeouts } from '../../src/http/listeners/listener.ts';
import type { AppDeps } from '../../src/http/service.ts';
import { configuredProvider } from '../../src/oidc/provider.ts';
import { type Clock, systemClock } from '../../src/process/clock.ts';
import { explainOn } from '../../src/providers/explain.ts';
import type { Links, Route } from '../../src/push.ts';
import { ServerFindings } from '../../src/server/findings.ts';
import { createLog } from '../../src/server/log.ts';
import type { AcceptArgs } from '../../src/store/calls.ts';
import { type ServingStore, withCalls } from '../../src/store/client.ts';
import { sessionLife } from '../../src/store/settings.ts';
import { dataFolder } from './data-folder.ts';
import { checkAnswer, INSTALLATION } from './openapi.ts';
import { Resources } from './resources.ts';
import { storeHere } from './store-here.ts';
import { DEADLINE_MS } from './until.ts';
import { aWorkspace, type TestWorkspace, type WorkspaceOptions } from './workspace.ts';

const DAY_MS = 86_400_000;

export interface ApiOptions extends WorkspaceOptions {
  readonly limits?: Partial<Config['limits']>;
  readonly trusted?: readonly string[];
  readonly baseUrl?: string | null;
  readonly tls?: Config['tls'];
  readonly oidc?: Config['oidc'];
  /** Whether each request is logged. */
  readonly requests?: boolean;
  /** The hosts of formats of senders. */
  readonly hosts?: Config['senders']['hosts'];
  readonly unencryptedFrom?: Config['senders']['smtp']['unencryptedFrom'];
  readonly timeouts?: Timeouts;
  readonly clock?: Clock;
  /** The store's clock, which is its own. */
  readonly storeClock?: Clock;
  readonly maxInFlight?: number;
  readonly strangerMs?: number;
  readonly streams?: AppDeps['streams'];
  readonly maxConnections?: number;
  readonly web?: AppDeps['web'];
  readonly receipts?: boolean;
  /** Called with each event that the store accepts. */
  readonly onAccepted?: (event: AcceptArgs) => void;
  readonly liveRoutes?: NonNullable<AppDeps['liveRoutes']>;
  /** The time for which deliveries have stood still. */
  readonly stillMs?: Partial<Record<Route, number>>;
  /** Calls of the store that answer otherwise. */
  readonly store?: Partial<ServingStore>;
}

type Use = (api: Api) => Promise<void>;

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface RequestOptions {
  readonly method?: string;
  /** Goes into the Authorization header: an API key or a session token. */
  readonly key?: string;
  /** A session token in the cookie, as a page of the server itself sends it. */
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string or bytes go out as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly ca?: string;
  readonly localAddress?: string;
}

/** The workspace `acme` over HTTP, which has no members yet. */
export interface Api extends TestWorkspace {
  readonly http: RunningHttp;
  /** How much memory bodies take now. */
  readonly bodies: App['bodies'];
  /** The settings that mail needs. */
  readonly mail: App['mail'];
  /** The folder of the store. */
  readonly dataDir: string;
  readonly store: ServingStore;
  /** The same without the calls that answer otherwise. */
  readonly real: ServingStore;
  /** A key of the workspace; it posts and reads. */
  readonly key: string;
  readonly keyId: string;
  /** Public ids to links. */
  readonly held: Map<string, Links>;
  /** Notifies the streams of events that pushes of these were settled. */
  readonly settled: App['streams']['settled'];
  /** All that was logged so far. */
  log(): string;
  request(path: string, options?: RequestOptions): Promise<Reply>;
  /** POST /api/v1/events with the key above. */
  post(body: unknown, options?: RequestOptions): Promise<Reply>;
}

/** A test that has an API of its own. */
export function apiTest(title: string, use: Use): void;
export function apiTest(title: string, options: ApiOptions, use: Use): void;
export function apiTest(title: string, ...args: [Use] | [ApiOptions, Use]): void {
  const [use, options] = args.length === 1 ? args : [args[1], args[0]];
  test(title, () => withApi(use, options));
}

apiTest.run = () => test.run();

/** Runs `use` with the real server over a new data folder, and ends both afterwards. */
export async function withApi(use: Use, options: ApiOptions = {}): Promise<void> {
  await using opened = new Resources();
  const dataDir = dataFolder();
  const real = opened.add(
    storeHere(dataDir, { sessions: sessionLife({ oidc: options.oidc ?? null }) }, options.storeClock),
  );
  const watchedStore = watched(real, options.onAccepted);
  const store: ServingStore = { ...withCalls(watchedStore, options.store ?? {}), ...options.store };
  const clock = options.clock ?? systemClock();
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => lines.push(line) });
  const config = configOf(options);
  const held = new Map<string, Links>();
  const links = {
    hold: (_workspaceId: number, id: string, ofEvent: Links) => held.set(id, ofEvent),
    drop: (id: string) => held.delete(id),
  };
  const { web = null, maxInFlight = 100, strangerMs, liveRoutes, stillMs = {}, streams } = options;
  const findings = new ServerFindings({
    store,
    clock,
    routes: liveRoutes ?? (() => new Map()),
    stillMs: () => new Map(Object.entries(stillMs)) as ReadonlyMap<Route, number>,
    troubles: () => new Map(),
    linksBytes: () => 0,
    linksLimitBytes: 1,
    backups: () => [],
  });
  const optional = {
    ...(liveRoutes && { liveRoutes }),
    ...(streams && { streams }),
    ...(strangerMs && { strangerMs }),
  };
  const provider = configuredProvider({ ...config, handedOver: {} }, clock);
  const fixed = { store, config, clock, log, links, provider, web, maxInFlight, findings, explain: explainOn };
  const app = createApp({ ...fixed, ...optional });
  const { timeouts, maxConnections } = options;
  const http = await startHttp({
    handler: app.callback(),
    config,
    log,
    proven: app.proven,
    ...(timeouts && { timeouts }),
    ...(maxConnections && { maxConnections }),
  });
  opened.onEnd(() => {
    app.streams.endAll();
    return http.close(2_000);
  });
  const workspace = await aWorkspace(real, { owner: null, ...options });
  const { id: keyId, text: key } = await workspace.issueKey();
  const request: Api['request'] = (path, given) => fetchReply(http.url, path, given);
  const post: Api['post'] = (body, given) => request('/api/v1/events', { method: 'POST', key, body, ...given });
  const settled: Api['settled'] = (events) => app.streams.settled(events);
  const readLog = () => lines.join('');
  await use({
    ...workspace,
    http,
    bodies: app.bodies,
    mail: app.mail,
    dataDir,
    store,
    real,
    key,
    keyId,
    held,
    settled,
    log: readLog,
    request,
    post,
  });
}

/** An answer as bytes, without undoing a compression. */
export async function getBytes(
  { http }: Pick<Api, 'http'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }> {
  const asked = httpRequest(`${http.url}${path}`, { method, agent: false, headers }).end();
  const [response] = await once(asked, 'response');
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

/** Sends bytes over a connection of their own and gives all that comes back until it ends. */
export async function exchangeBytes(url: string, ...bytes: readonly (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error(`nothing came for ${DEADLINE_MS} ms`)));
  const answer = readText(socket);
  for (const part of bytes) socket.write(part);
  return answer;
}

function watched(store: ServingStore, onAccepted: ApiOptions['onAccepted'] = () => undefined): ServingStore {
  return withCalls(store, {
    async acceptEvent(args, actor) {
      const answer = await store.acceptEvent(args, actor);
      if (answer.kind === 'accepted') onAccepted(args);
      return answer;
    },
  });
}

function configOf({
  requests = true,
  limits,
  baseUrl = null,
  trusted = [],
  tls = null,
  oidc = null,
  hosts = {},
  unencryptedFrom = [],
  receipts = true,
}: ApiOptions) {
  return {
    web: { enabled: false, receipts },
    baseUrl,
    apns: null,
    oidc,
    webpush: null,
    webhooks: { allowPrivate: false, caFile: null },
    senders: { hosts, smtp: { listen: null, listenTls: null, unencryptedFrom } },
    log: { level: 'debug' as const, requests },
    listen: { host: '127.0.0.1', port: 0 },
    tls,
    proxy: { trusted },
    retention: { ...INSTALLATION.retention, auditMs: 1, statsMs: 1 },
    delivery: { ttlMs: DAY_MS },
    limits: {
      burstPerMinute: 60,
      connectionPerMinute: 30,
      connectionsPerAddress: 512,
      changesPerMinute: 120,
      changesPerDay: 3_000,
      channels: 500,
      heartbeats: 100,
      keys: 200,
      members: 500,
      devices: 50,
      urlSchemes: [],
      bodiesMemoryBytes: 32 * 1_048_576,
      linksMemoryBytes: 1_048_576,
      ...limits,
    },
  };
}

/** One request on a connection of its own. Every answer is held against the API's description. */
export async function fetchReply(origin: string, path: string, options: RequestOptions = {}): Promise<Reply> {
  const { method = 'GET', key, cookie, headers, body, ca, localAddress } = options;
  const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const send = origin.startsWith('https:') ? httpsRequest : httpRequest;
  const request = send(`${origin}${path}`, {
    method,
    agent: false,
    signal: AbortSignal.timeout(DEADLINE_MS),
    ...(ca !== undefined && { ca }),
    ...(localAddress !== undefined && { localAddress }),
    headers: {
      Accept: 'application/json',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(cookie !== undefined && { Cookie: `${SESSION_COOKIE}=${cookie}`, 'Sec-Fetch-Site': 'same-origin' }),
      ...(bytes !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(bytes) }),
      ...headers,
    },
  });
  request.end(bytes);
  const [response] = await once(request, 'response');
  const text = await readText(response);
  const reply: Reply = {
    status: response.statusCode,
    headers: response.headers,
    text,
    body: text !== '' && isJson(response.headers) ? JSON.parse(text) : {},
  };
  assert.is(reply.headers['cache-control'], reply.headers.etag === undefined ? 'no-store' : 'no-cache');
  assert.is(reply.headers['x-content-type-options'], 'nosniff');
  assert.is(reply.headers['access-control-allow-origin'], undefined);
  if (method !== 'HEAD' && !isForeign(path, headers)) checkAnswer(method, path, reply);
  return reply;
}

/** Others have described the formats of senders and pings, and `hosts` may have them at the root. */
function isForeign(path: string, headers: RequestOptions['headers']): boolean {
  return path.startsWith('/senders/') || path.startsWith('/ping/') || headers?.Host !== undefined;
}

function isJson(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('application/json') ?? false;
}
