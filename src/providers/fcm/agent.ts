import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { MAX_ANSWER_BYTES, TOO_LONG } from '../client.ts';
import type { IsRecalled } from '../sending.ts';
import type { FcmSettings } from './credentials.ts';

/** What every Agent has had since Node 0.11, without being in its documents: how a request gets its socket. */
interface WithAddRequest {
  addRequest(request: ClientRequest, options: AgentOptions): void;
}

/** Who knows whether a connection that was idle for longer still leads anywhere. */
const IDLE_MS = 60_000;

/**
 * Kept-alive connections to the configured endpoint, whatever host the SDK has in its addresses. A request that is not
 * over by its deadline is cut together with its connection: the SDK would wait for ever for an answer that trickles or
 * stops.
 *
 * A request gets its connection only once that stands, and is written then and there. So it is the right moment to ask
 * whether its push was recalled.
 */
export class FcmAgent extends Agent {
  readonly #endpoint: URL;
  readonly #ca: string | undefined;
  readonly #deadlineMs: number;
  /** The SDK gives a request no mark by which it could be known here again. */
  readonly #recall = new AsyncLocalStorage<IsRecalled>();

  constructor({ endpoint, ca }: FcmSettings, deadlineMs: number, maxSockets: number) {
    super({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: IDLE_MS, scheduling: 'lifo' });
    this.#endpoint = new URL(endpoint);
    this.#ca = ca;
    this.#deadlineMs = deadlineMs;
  }

  /** Calls `send`, whose request fails unwritten, with an error `recalled`, where the push was recalled by then. */
  unlessRecalled<T>(isRecalled: IsRecalled, send: () => Promise<T>): Promise<T> {
    return this.#recall.run(isRecalled, send);
  }

  /** Connections whose handshake is done, in use or idle. */
  get open(): number {
    const known = [...Object.values(this.sockets), ...Object.values(this.freeSockets)];
    return known.reduce((sum, sockets = []) => sum + sockets.length, 0);
  }

  dropIdle(): void {
    for (const socket of Object.values(this.freeSockets).flatMap((idle) => idle ?? [])) socket.destroy();
  }

  addRequest(request: ClientRequest, options: AgentOptions): void {
    const timer = setTimeout(() => request.destroy(new Error('deadline')), this.#deadlineMs);
    request.once('close', () => clearTimeout(timer));
    const isRecalled = this.#recall.getStore();
    request.once('socket', () => {
      if (isRecalled?.()) request.destroy(new Error('recalled'));
    });
    request.prependOnceListener('response', (answer) => bound(answer, request));
    const inherited = Agent.prototype as unknown as WithAddRequest;
    inherited.addRequest.call(this, request, options);
  }

  override createConnection(
    options: AgentOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { hostname, port } = this.#endpoint;
    const there = {
      ...options,
      host: hostname,
      port: Number(port || 443),
      // A name is needed to choose and check the certificate; for an address there is none to send.
      servername: isIP(hostname) === 0 ? hostname : '',
      ...(this.#ca !== undefined && { ca: this.#ca }),
    };
    const socket = super.createConnection(there) as Socket;
    const timer = setTimeout(() => socket.destroy(new Error('deadline')), this.#deadlineMs);
    socket.setNoDelay(true);
    // Whichever comes first counts for the callback.
    socket.once('secureConnect', () => callback?.(null, socket));
    socket.on('error', (error) => callback?.(error, socket));
    for (const end of ['secureConnect', 'close']) socket.once(end, () => clearTimeout(timer));
    return undefined;
  }
}

/**
 * The SDK would take an answer of any length, and inflate one that nobody asked to be compressed. It does not listen
 * any more to the answer of a request that was destroyed: so it is told of the error first.
 */
function bound(answer: IncomingMessage, request: ClientRequest): void {
  delete answer.headers['content-encoding'];
  let size = 0;
  answer.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_ANSWER_BYTES || request.destroyed) return;
    answer.emit('error', new Error(TOO_LONG));
    request.destroy();
  });
}
