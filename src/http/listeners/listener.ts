import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { type HeldSocket, SOCKET_UNITS } from '../../config/held-sockets.ts';
import { isLoopback } from '../../config/units.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { ClientAddresses } from '../client-address.ts';
import { answerClientErrors } from '../connections/client-errors.ts';
import { Connections } from '../connections/connections.ts';
import { PendingResponses } from '../connections/pending-responses.ts';
import type { ProvenClients } from '../limits/proven-clients.ts';
import { noteTrustworthy } from './strict-transport.ts';
import { isSame, readPair, type TlsFiles, type TlsPair, tryPair } from './tls-pair.ts';

export interface Timeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  /** Time to read a complete response. */
  readonly unreadMs: number;
  /** How often these are checked. */
  readonly checkMs: number;
}

interface StartHttp {
  /** `app.callback()`. */
  readonly handler: RequestListener;
  readonly config: Pick<Config, 'listen' | 'proxy'> &
    TlsFiles & { readonly limits: Pick<Config['limits'], 'connectionsPerAddress'> };
  readonly log: Logger;
  /** `app.proven` */
  readonly proven: ProvenClients;
  /** The certificate that the server gets by itself. */
  readonly ownTls?: OwnTls | null;
  /** Used instead of `listen`. */
  readonly held?: HeldSocket | null;
  readonly timeouts?: Timeouts;
  /** The bound for all clients together. */
  readonly maxConnections?: number;
}

export interface OwnTls {
  /** The first pair. */
  readonly pair: TlsPair;
  /** Gives a certificate authority the proof of a name. False: none. */
  answerChallenge(socket: TLSSocket, name: string): boolean;
}

export interface RunningHttp {
  /** `https://127.0.0.1:8443`: without the path `/api`. */
  readonly url: string;
  /**
   * Stops taking connections, finishes requests, cuts off the rest after `graceMs`. Idle connections close at once, or
   * may ask once more within `lastAskMs`.
   */
  close(graceMs: number, lastAskMs?: number): Promise<void>;
  /** Rereads certificate and key. Keeps the old pair if the new fails, and tells why. */
  reloadTls(): { readonly problem: string | null; readonly isNew: boolean };
  /** Changes the certificate, also for open connections. */
  serveTls(pair: TlsPair): void;
  /** The certificate and key in use; null without TLS. */
  tlsPair(): TlsPair | null;
  /** The expiry of the served certificate; null without TLS. */
  certificateEndsAtMs(): number | null;
}

const DEFAULT_TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  unreadMs: 120_000,
  checkMs: 2_000,
};
const MAX_HEADER_BYTES = 16_384;
const MAX_CONNECTIONS = 10_000;
/** Equals the units' backlog. */
const HELD_BACKLOG = 4_096;
/** Idle time of a connection without any traffic. */
const IDLE_SOCKET_MS = 120_000;

/** Listens as configured. Throws OperatorProblem if impossible or unsafe. */
export async function startHttp(options: StartHttp): Promise<RunningHttp> {
  const {
    handler,
    config,
    log,
    proven,
    ownTls = null,
    held = null,
    timeouts = DEFAULT_TIMEOUTS,
    maxConnections = MAX_CONNECTIONS,
  } = options;
  requireSafety(config, held);
  let pair = ownTls?.pair ?? readPair(config);
  const server = createServerFor(pair, optionsFor(timeouts), ownTls);
  const serveTls = (fresh: TlsPair): void => {
    pair = fresh;
    if ('setSecureContext' in server) server.setSecureContext(fresh.options);
  };
  server.on('secureConnection', (socket: TLSSocket) => {
    if (pair?.isSelfSigned === false) noteTrustworthy(socket);
  });
  const connections = new Connections(server, {
    total: maxConnections,
    perNetwork: config.limits.connectionsPerAddress,
    addresses: new ClientAddresses(config.proxy.trusted),
    proven,
    log,
    name: 'connections',
    unreadMs: timeouts.unreadMs,
    checkMs: timeouts.checkMs,
  });
  const pending = new PendingResponses(server, connections, handler);
  const take: RequestListener = (_request, response) => pending.take(response);
  server.timeout = IDLE_SOCKET_MS;
  server.on('request', take).on('checkContinue', take).on('checkExpectation', take);
  answerClientErrors(server, pending, log);
  await (held === null ? listenAt(server, config.listen) : listenOn(server, held));
  let closing: Promise<void> | null = null;
  return {
    url: urlOf(server, config.tls !== null),
    close(graceMs, lastAskMs = 0) {
      closing ??= close(server, pending, { graceMs, lastAskMs });
      return closing;
    },
    serveTls,
    tlsPair: () => pair,
    certificateEndsAtMs: () => pair?.goodUntilMs ?? null,
    reloadTls() {
      const { fresh, problem } = tryPair(config);
      if (fresh === null || isSame(fresh, pair)) return { problem, isNew: false };
      serveTls(fresh);
      return { problem, isNew: true };
    },
  };
}

/** Allows plain HTTP only locally or through a trusted proxy. */
function requireSafety(
  { listen, tls, proxy }: Pick<Config, 'listen' | 'tls' | 'proxy'>,
  held: HeldSocket | null,
): void {
  const { host, port } = held ?? listen;
  if (tls !== null || proxy.trusted.length > 0 || isLoopback(host)) return;
  throw new OperatorProblem(
    `${held === null ? 'listen' : SOCKET_UNITS[held.name]}: ${host}:${port} can be reached from outside, but there is no ` +
      '[tls]; set tls.cert and tls.key, or listen on 127.0.0.1; behind a proxy, set proxy.trusted',
    2,
  );
}

function optionsFor({ headersMs, requestMs, keepAliveMs, checkMs }: Timeouts): ServerOptions {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: checkMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false, // done in responder.ts, in JSON
  };
}

function createServerFor(pair: TlsPair | null, options: ServerOptions, own: OwnTls | null): Server | TlsServer {
  if (pair === null) return createServer(options);
  const handshakeTimeout = options.headersTimeout ?? DEFAULT_TIMEOUTS.headersMs;
  const forAuthority = own === null ? {} : { ALPNCallback: choiceWith(own) };
  const server = createTlsServer({ ...options, ...pair.options, ...forAuthority, handshakeTimeout });
  // The handshake was the proof (RFC 8737, section 3).
  if (own !== null) server.on('secureConnection', (socket) => socket.alpnProtocol === PROOF && socket.end());
  return server;
}

/** The protocol of a certificate authority that checks whether a name leads here (RFC 8737). */
const PROOF = 'acme-tls/1';

function choiceWith(own: OwnTls) {
  return function (this: TLSSocket, { servername, protocols }: { servername: string; protocols: string[] }) {
    if (protocols.includes(PROOF)) return own.answerChallenge(this, servername) ? PROOF : undefined;
    return protocols.includes('http/1.1') ? 'http/1.1' : undefined;
  };
}

/** `setting`: names the place. Throws OperatorProblem on failure. */
export function listenAt(server: TcpServer, { host, port }: Config['listen'], setting = 'listen'): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(whyNot(error, `${setting}: ${host}:${port}`));
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

/** Takes connections from systemd's socket. Closing leaves systemd's descriptor open. */
export function listenOn(server: TcpServer, { name, fd }: HeldSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = ({ code }: NodeJS.ErrnoException): void =>
      reject(new OperatorProblem(`cannot listen on the socket of ${SOCKET_UNITS[name]} (${code})`));
    server.once('error', refuse);
    // Node resets this queue's length; clients wait in it during restarts.
    server.listen({ fd, backlog: HELD_BACKLOG }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

export class PortTaken extends OperatorProblem {}

function whyNot(error: NodeJS.ErrnoException, place: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new PortTaken(
        `${place} is in use by another process (perhaps a pushctl that is still running): stop it, or set another port`,
      );
    case 'EACCES':
      return new OperatorProblem(`${place} is not allowed for this user: set a port from 1024 on, or grant the right`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new OperatorProblem(`${place} is not an address of this machine: set one of its addresses, or 127.0.0.1`);
    default:
      return error;
  }
}

function urlOf(server: Server, isSecure: boolean): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `${isSecure ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

interface Closing {
  readonly graceMs: number;
  readonly lastAskMs: number;
}

async function close(server: Server, pending: PendingResponses, { graceMs, lastAskMs }: Closing): Promise<void> {
  const closed = once(server, 'close');
  pending.closeWhenDone();
  if (lastAskMs > 0) {
    // The override of HTTP servers closes idle connections at once.
    TcpServer.prototype.close.call(server);
    await Promise.race([closed, pause(lastAskMs, undefined, { ref: false })]);
  }
  server.close();
  pending.closeIdle();
  const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cutOff);
}
