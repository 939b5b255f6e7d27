import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientRequest } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { BoundExceeded, boundRequest, nameCertificate } from '../process/bounded-request.ts';
import { type Clock, hasJumped, type Moment, momentOf } from '../process/clock.ts';
import { USER_AGENT } from '../process/package.ts';
import type { Outcome } from '../push.ts';
import { NotConnected, TOO_SLOW } from './https.ts';
import { type Failed, notConnected, outcomeOfFault } from './outcomes.ts';
import { MAX_ANSWER_BYTES } from './provider.ts';
import type { IsRevoked } from './sending.ts';

/** An Agent's undocumented method since Node 0.11: gives a request its socket. */
interface WithAddRequest {
  addRequest(request: ClientRequest, options: AgentOptions): void;
}

/** Longer idle connections may have died unnoticed. */
const IDLE_MS = 60_000;
/** The time that a push may wait for its answer until later pushes avoid the idle connections. */
const SILENT_MS = 5_000;

interface AgentSettings {
  /** Returns the configured address of a host, else the host. */
  readonly placeOf: (host: string) => URL;
  /** PEM of a CA instead of the system's. */
  readonly ca: string | undefined;
  readonly deadlineMs: number;
  readonly maxSockets: number;
  readonly clock: Clock;
}

interface PushInFlight {
  readonly isRevoked: IsRevoked;
  /** Instead of the agent's own deadline. */
  readonly deadlineMs?: number | undefined;
}

/**
 * Keeps a provider client's connections alive. Cuts requests and connections at the deadline: libraries wait endlessly
 * for trickling answers. A request gets an established connection and is written at once: the moment to check
 * revocation.
 */
export class SendingAgent extends Agent {
  readonly #placeOf: AgentSettings['placeOf'];
  readonly #ca: string | undefined;
  readonly #deadlineMs: number;
  /** Identifies the push here, since libraries cannot mark requests. */
  readonly #push = new AsyncLocalStorage<PushInFlight>();

  readonly #clock: Clock;
  #usedAt: Moment;

  constructor({ placeOf, ca, deadlineMs, maxSockets, clock }: AgentSettings) {
    super({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: IDLE_MS, scheduling: 'lifo' });
    this.#placeOf = placeOf;
    this.#ca = ca;
    this.#deadlineMs = deadlineMs;
    this.#clock = clock;
    this.#usedAt = momentOf(clock);
  }

  /** Calls `send`. Its request fails unwritten with `recalled` if the push was revoked. */
  unlessRevoked<T>(isRevoked: IsRevoked, send: () => Promise<T>, deadlineMs?: number): Promise<T> {
    return this.#push.run({ isRevoked, deadlineMs }, send);
  }

  /** Connections whose handshake is done, in use or idle. */
  get open(): number {
    const known = [...Object.values(this.sockets), ...Object.values(this.freeSockets)];
    return known.reduce((sum, sockets = []) => sum + sockets.length, 0);
  }

  /** Closes idle connections, to all hosts or one. */
  dropIdle(host?: string): void {
    for (const [name, idle] of Object.entries(this.freeSockets)) {
      if (host === undefined || name.startsWith(`${host}:`)) for (const socket of idle ?? []) socket.destroy();
    }
  }

  addRequest(request: ClientRequest, options: AgentOptions): void {
    // Its headers are not written yet; libraries set none of this name.
    request.setHeader('User-Agent', USER_AGENT);
    this.#forgetAfterJump();
    const push = this.#push.getStore();
    let isConnected = false;
    boundRequest(request, {
      withinMs: push?.deadlineMs ?? this.#deadlineMs,
      mostBytes: MAX_ANSWER_BYTES,
      tooLate: () => (isConnected ? new BoundExceeded('ETIMEDOUT') : new NotConnected(this.#hostOf(options), TOO_SLOW)),
    });
    const silence = setTimeout(() => this.dropIdle(String(options.host)), SILENT_MS);
    request.once('close', () => clearTimeout(silence));
    request.once('socket', () => {
      isConnected = true;
      if (push?.isRevoked()) request.destroy(new Error('recalled'));
    });
    // Libraries would inflate unrequested compression.
    request.prependOnceListener('response', ({ headers }) => delete headers['content-encoding']);
    const inherited = Agent.prototype as unknown as WithAddRequest;
    inherited.addRequest.call(this, request, options);
  }

  override createConnection(
    options: AgentOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { hostname, port } = this.#placeOf(String(options.host));
    const fail = (cause: unknown) => callback?.(new NotConnected(this.#hostOf(options), cause), socket);
    const there = {
      ...options,
      host: hostname,
      port: Number(port || 443),
      // Needed to choose and check the certificate; addresses have none.
      servername: isIP(hostname) === 0 ? hostname : '',
      ...(this.#ca !== undefined && { ca: this.#ca }),
    };
    const socket = super.createConnection(there) as Socket;
    const deadlineMs = this.#push.getStore()?.deadlineMs ?? this.#deadlineMs;
    const timer = setTimeout(() => socket.destroy(TOO_SLOW), deadlineMs);
    socket.setNoDelay(true);
    nameCertificate(socket);
    // Whichever comes first counts for the callback.
    socket.once('secureConnect', () => callback?.(null, socket));
    socket.on('error', fail);
    socket.once('close', () => fail(CLOSED));
    for (const end of ['secureConnect', 'close']) socket.once(end, () => clearTimeout(timer));
    return undefined;
  }

  /** Drops connections lost in sleep, which no timer notices. */
  #forgetAfterJump(): void {
    if (hasJumped(this.#clock, this.#usedAt)) this.dropIdle();
    this.#usedAt = momentOf(this.#clock);
  }

  #hostOf({ host }: AgentOptions): string {
    return this.#placeOf(String(host)).host;
  }
}

const CLOSED = new Error('closed during the handshake');

/** Returns the outcome of an error of this agent or `ask`. */
export function outcomeOfRequest(error: unknown): Failed {
  if (error instanceof NotConnected) return notConnected(error.message);
  if (error instanceof BoundExceeded) {
    return outcomeOfFault(error.code === 'ETIMEDOUT' ? 'timeout' : 'unreadable_answer');
  }
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return outcomeOfFault(message === 'recalled' ? 'recalled' : 'connection_lost');
}

/** Tells whether other connections may be dead too. */
export function isOfTheLine(outcome: Outcome): boolean {
  if (outcome.kind === 'unavailable') return outcome.reason === 'connect_failed';
  return outcome.kind === 'deferred' && outcome.pace === 'fault';
}
