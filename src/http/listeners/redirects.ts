import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { type HeldSocket, SOCKET_UNITS } from '../../config/held-sockets.ts';
import { API_ERRORS } from '../../contract/errors.ts';
import { isLikeSecret } from '../../contract/secret-token.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { ClientAddresses } from '../client-address.ts';
import { Connections } from '../connections/connections.ts';
import type { ProvenClients } from '../limits/proven-clients.ts';
import { listenOn } from './listener.ts';

export interface StartRedirects {
  readonly held: HeldSocket;
  readonly config: Pick<Config, 'baseUrl' | 'listen' | 'tls' | 'proxy'> & {
    readonly senders: Pick<Config['senders'], 'hosts'>;
  };
  readonly log: Logger;
  /** `app.proven` */
  readonly proven: ProvenClients;
  /** Returns the answer instead of a redirect; null: none. */
  readonly textAt?: ((path: string) => string | null) | undefined;
}

export interface RunningRedirects {
  /** `http://[::]:80` */
  readonly url: string;
  close(): Promise<void>;
}

const LIMITS = { total: 1_024, perNetwork: 32 };
/** Time for a request, and for reading an answer. */
const PATIENCE_MS = 10_000;
const CHECK_MS = 2_000;
/** Time for connections made just before a stop to ask. */
const LAST_ASK_MS = 1_000;
const METHODS = ['GET', 'HEAD'];
/** First segments of programs' paths, perhaps with keys. */
const OF_PROGRAMS = ['api', 'senders', 'ping'];
const HOST = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/;

/**
 * Redirects browsers on port 80 to HTTPS. Rejects programs: each redirected request would show its key unnoticed.
 * Throws OperatorProblem without HTTPS.
 */
export async function startRedirects({ held, config, log, proven, textAt }: StartRedirects): Promise<RunningRedirects> {
  const originFor = origins(config);
  const server = createServer(
    { headersTimeout: PATIENCE_MS, requestTimeout: PATIENCE_MS, connectionsCheckingInterval: CHECK_MS },
    (request, response) => answer(request, response, { originFor, hosts: config.senders.hosts, textAt }),
  );
  server.timeout = PATIENCE_MS;
  const addresses = new ClientAddresses(config.proxy.trusted);
  const times = { unreadMs: PATIENCE_MS, checkMs: CHECK_MS };
  new Connections(server, { ...LIMITS, addresses, proven, log, name: 'connections to port 80', ...times });
  await listenOn(server, held);
  const { host, port } = held;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async close() {
      const closed = once(server, 'close');
      TcpServer.prototype.close.call(server);
      await Promise.race([closed, pause(LAST_ASK_MS, undefined, { ref: false })]);
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns a host's HTTPS origin; null: no host. */
type OriginFor = (host: string) => string | null;

function origins({ baseUrl, tls, listen }: StartRedirects['config']): OriginFor {
  if (baseUrl?.startsWith('https:')) {
    const { origin } = new URL(baseUrl);
    return () => origin;
  }
  if (tls === null) {
    throw new OperatorProblem(`${SOCKET_UNITS.http} redirects to HTTPS, but the server has no HTTPS`, 2, {
      advice: 'set [tls], or disable that unit; behind a proxy, set base_url to its https address',
    });
  }
  const port = listen.port === 443 ? '' : `:${listen.port}`;
  return (host) => {
    const [, name] = HOST.exec(host) ?? [];
    return name === undefined ? null : `https://${name}${port}`;
  };
}

interface Answering {
  readonly originFor: OriginFor;
  /** Hosts, each the address of a format of senders. */
  readonly hosts: Config['senders']['hosts'];
  readonly textAt: StartRedirects['textAt'];
}

function answer(request: IncomingMessage, response: ServerResponse, { originFor, hosts, textAt }: Answering): void {
  const { method = '', url = '', headers } = request;
  response.shouldKeepAlive = false;
  const text = METHODS.includes(method) ? (textAt?.(url) ?? null) : null;
  const origin = originFor(headers.host ?? '');
  if (text !== null) write(response, 200, { 'Content-Type': 'text/plain; charset=utf-8' }, text);
  else if (origin === null || !url.startsWith('/')) refuse(response, 'invalid_request');
  else if (canShowKey(request, hosts)) refuse(response, 'https_required', `Use ${origin}.`);
  else write(response, 308, { Location: `${origin}${url}` }, '');
}

/** Tells whether a request is a program's or may show a secret. Only typed or followed addresses are redirected. */
function canShowKey({ method = '', url = '', headers }: IncomingMessage, hosts: Answering['hosts']): boolean {
  const host = (headers.host ?? '').toLowerCase().replace(/\.?(?::\d*)?$/, '');
  return (
    !METHODS.includes(method) ||
    headers.authorization !== undefined ||
    isLikeSecret(url) ||
    Object.hasOwn(hosts, host) ||
    OF_PROGRAMS.includes(firstSegment(url))
  );
}

/** Returns the first segment as redirected clients read it, without dots in any spelling. */
function firstSegment(url: string): string {
  const { pathname } = new URL(`http://host${url}`);
  const [first = ''] = pathname.split(/(?:\/|%2f)+/i).filter(Boolean);
  try {
    return decodeURIComponent(first).toLowerCase();
  } catch {
    return first;
  }
}

function refuse(response: ServerResponse, code: 'invalid_request' | 'https_required', where = ''): void {
  const { status, message } = API_ERRORS[code];
  const body = JSON.stringify({ message: [message, where].filter(Boolean).join(' '), code });
  write(response, status, { 'Content-Type': 'application/json; charset=utf-8' }, body);
}

function write(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  response.writeHead(status, {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}
