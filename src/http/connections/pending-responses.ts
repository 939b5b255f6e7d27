import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connection, Connections } from './connections.ts';

/** The most unanswered requests of a connection. */
const MOST_PIPELINED = 16;
/** The most waiting requests on all connections together. They take some 25 MB. */
const MOST_WAITING = 8_192;
/** Makes Node's parser fail with `HPE_CB_HEADERS_COMPLETE`. */
const FAIL = -1;
/**
 * The most requests of strangers, and waiting ones, that begin in one turn of the event loop. An event waits for two or
 * three turns.
 */
const TURNS = 4;

/** Node's parser: returns how to go on. */
interface Parser {
  onIncoming(request: IncomingMessage, shouldKeepAlive: boolean): number;
}

/**
 * Tracks unfinished responses for a graceful stop, and orders those of a connection.
 * - A connection's requests run one after another (RFC 9112, section 9.3.2, requires it for all but safe methods).
 *   The next one begins after the client took the response and others had a turn.
 * - A waiting connection is not read, so slow readers cannot fill the memory.
 * - Too many pipelined requests end the connection after the first responses; clients may send the others again.
 * - Strangers take turns too. Otherwise a flood of new connections delays each event by one request of each
 *   connection.
 *
 * Uses arrays, not a Set: old tables of a churning Set kept half of the finished requests until a full GC (measured).
 */
export class PendingResponses {
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #act: RequestListener;
  /** Connections whose next request may be acted on. */
  readonly #turns: Connection[] = [];
  #isTurnComing = false;
  /** Begun in this turn of the event loop. */
  #begun = 0;
  #waiting = 0;
  #closing = false;
  #closesIdle = false;

  constructor(server: Server, connections: Connections, act: RequestListener) {
    this.#server = server;
    this.#connections = connections;
    this.#act = act;
  }

  /** Handles a request now, or after the connection's earlier ones. */
  take(response: ServerResponse): void {
    const connection = this.#connections.get(response.req.socket);
    if (connection === undefined || connection.socket.destroyed) return; // The client has gone.
    const { responses } = connection;
    if (!connection.hasAsked) this.#boundParser(connection);
    responses.push(response);
    response.once('close', () => this.#end(response, connection));
    if (this.#closing) response.shouldKeepAlive = false;
    this.#connections.asked(connection);
    if (responses.length > 1) this.#hold(connection);
    else if (connection.place.isStranger && !this.#canBegin()) this.#waitForTurn(connection);
    else this.#actOn(response, connection);
  }

  /** Returns the connection's last pending response with a complete request. */
  lastOn(socket: Duplex): ServerResponse | undefined {
    return this.#connections.get(socket)?.responses.findLast(({ req }) => req.complete);
  }

  /** Returns this connection's response whose request is handled but incomplete. Its turn begins now at the latest. */
  unfinishedOn(socket: Duplex): ServerResponse | undefined {
    const connection = this.#connections.get(socket);
    const first = connection?.responses[0];
    if (connection === undefined || first?.req.complete !== false) return undefined;
    if (connection.acting === null) this.#actInTurn(first, connection);
    return first;
  }

  closeWhenDone(): void {
    this.#closing = true;
    for (const { responses } of this.#connections.all())
      for (const response of responses) if (!response.headersSent) response.shouldKeepAlive = false;
  }

  /** Closes connections without pending responses, now and once they have none left. */
  closeIdle(): void {
    this.#closesIdle = true;
    // Node does not count connections as idle before the first request.
    for (const { socket, hasAsked } of this.#connections.all()) if (!hasAsked) socket.destroy();
    this.#server.closeIdleConnections();
  }

  /**
   * Fails Node's parser at the first request too many. One read brings up to 64 kB, some thousand requests, and Node
   * has no public way to stop before parsing all.
   */
  #boundParser(connection: Connection): void {
    const { parser } = connection.socket as Duplex & { readonly parser?: Parser };
    if (parser === undefined) return;
    const { onIncoming } = parser;
    parser.onIncoming = (...args) => (this.#isTooMuch(connection) ? FAIL : onIncoming(...args));
  }

  /** Tells whether a connection has too many requests. It ends after pending responses. */
  #isTooMuch(connection: Connection): boolean {
    const { responses } = connection;
    const last = responses.at(-1);
    if (last === undefined) return false;
    if (responses.length < MOST_PIPELINED && this.#waiting < MOST_WAITING) return false;
    connection.isEnding = true;
    if (!last.headersSent) last.shouldKeepAlive = false;
    return true;
  }

  #actOn(response: ServerResponse, connection: Connection): void {
    connection.acting = response;
    this.#act(response.req, response);
  }

  #actInTurn(response: ServerResponse, connection: Connection): void {
    this.#waiting -= 1;
    this.#actOn(response, connection);
  }

  /**
   * Tells whether a stranger's request may begin at once. A client that ends its half of the connection gets a response
   * then.
   */
  #canBegin(): boolean {
    if (this.#turns.length > 0 || this.#begun >= TURNS) return false;
    this.#begun += 1;
    this.#takeTurns();
    return true;
  }

  #waitForTurn(connection: Connection): void {
    this.#waiting += 1;
    this.#queueTurn(connection);
  }

  #hold(connection: Connection): void {
    const { socket, responses } = connection;
    this.#waiting += 1;
    socket.pause();
    if (connection.hasPipelined) return;
    connection.hasPipelined = true;
    // Reading a body resumes the socket.
    socket.on('resume', () => {
      if (responses.length > 1 || connection.isEnding) socket.pause();
    });
    withoutStacks(socket);
    socket.once('close', () => {
      this.#waiting -= waitingOn(connection);
      responses.length = 0;
    });
  }

  #end(response: ServerResponse, connection: Connection): void {
    const { responses } = connection;
    if (responses[0] !== response) return; // The connection has closed meanwhile.
    responses.shift();
    if (connection.acting === null) this.#waiting -= 1; // It has closed before its turn.
    connection.acting = null;
    if (responses.length > 0) this.#queueTurn(connection);
    else if (connection.isEnding) connection.socket.end(() => connection.socket.destroy());
    if (this.#closesIdle) setImmediate(() => this.#server.closeIdleConnections());
  }

  #queueTurn(connection: Connection): void {
    this.#turns.push(connection);
    this.#takeTurns();
  }

  /** Begins a few in each turn of the event loop, so that new requests of other connections get their turn. */
  #takeTurns(): void {
    if (this.#isTurnComing || (this.#turns.length === 0 && this.#begun === 0)) return;
    this.#isTurnComing = true;
    setImmediate(() => {
      this.#isTurnComing = false;
      const taken = this.#turns.splice(0, TURNS - this.#begun);
      this.#begun = taken.length;
      for (const connection of taken) this.#takeTurn(connection);
      this.#takeTurns();
    });
  }

  #takeTurn(connection: Connection): void {
    const { socket, responses } = connection;
    const [next] = responses;
    // Nothing follows a closing response (RFC 9112, section 9.6).
    if (next === undefined || connection.acting !== null || !socket.writable) return;
    this.#actInTurn(next, connection);
    if (connection.hasPipelined && responses.length === 1 && !connection.isEnding) socket.resume();
  }
}

/** Omits aborted requests' useless stacks: some thousand blocked the event loop for 0.1 s. */
function withoutStacks(socket: Duplex): void {
  let { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => {
    ({ stackTraceLimit } = Error);
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}

function waitingOn({ responses, acting }: Connection): number {
  return responses.length - (acting === null ? 0 : 1);
}
