import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connection, Connections } from './connections.ts';
import { Pacer } from './pacer.ts';

/**
 * A read of the socket brings up to 64 kB, and in them some thousand requests, all of which Node has parsed before anybody
 * can ask it to stop: so many may wait for their turn, on all connections. They take some 25 MB.
 */
const MAX_WAITING = 8_192;
/** A connection with no more than these waiting is never cut off for them. */
const FEW = 16;
/** Waiting requests that are acted on in one turn of the event loop. */
const TURNS = 8;

/**
 * The responses that have not ended yet: what a graceful stop waits for, and what must not be overtaken on its connection.
 *
 * The requests of a connection are acted on one after another (RFC 9112, section 9.3.2, wants it so for all but safe
 * methods): the next one's turn comes when the client has taken the answer before, and others had theirs in between. While
 * one waits nothing more is read, so that who sends without reading piles up nothing.
 *
 * They stand in a short list for each connection, not in one set. A set moves to a new table after every hundred or so that
 * came and went, and a table that grew old keeps the next one alive until a full collection, that one the next, and so on:
 * from then on each request that is open at a move outlives itself. In a trial half of all that was added did, of the lists' nothing.
 */
export class PendingResponses {
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #pacer: Pacer;
  readonly #act: RequestListener;
  /** Connections whose next request may be acted on. */
  readonly #turns: Connection[] = [];
  #isTurnComing = false;
  #waiting = 0;
  #closing = false;

  constructor(server: Server, connections: Connections, act: RequestListener) {
    this.#server = server;
    this.#connections = connections;
    this.#pacer = new Pacer(connections);
    this.#act = act;
  }

  /** Takes a request: acts on it now, or when those before it are answered. */
  take(response: ServerResponse): void {
    const connection = this.#connections.get(response.req.socket);
    if (connection === undefined || connection.socket.destroyed) return; // There is nobody to answer.
    const { responses } = connection;
    responses.push(response);
    response.once('close', () => this.#end(response, connection));
    if (this.#closing) response.shouldKeepAlive = false;
    this.#connections.asked(connection);
    if (responses.length === 1) this.#actOn(response, connection);
    else this.#hold(connection);
  }

  /** The last answer on its way on this connection to a request that has arrived in full. */
  lastOn(socket: Duplex): ServerResponse | undefined {
    return this.#connections.get(socket)?.responses.findLast(({ req }) => req.complete);
  }

  /** The answer to the request on this connection that is being acted on and has not arrived in full. */
  unfinishedOn(socket: Duplex): ServerResponse | undefined {
    const acting = this.#connections.get(socket)?.acting;
    return acting?.req.complete === false ? acting : undefined;
  }

  /** From now on a connection ends with its answer. Those that have none under way end at once. */
  closeWhenDone(): void {
    this.#closing = true;
    for (const { socket, responses, hasAsked } of this.#connections.all()) {
      if (!hasAsked) socket.destroy(); // Node does not count it as idle before its first request.
      for (const response of responses) if (!response.headersSent) response.shouldKeepAlive = false;
    }
    this.#server.closeIdleConnections();
  }

  #actOn(response: ServerResponse, connection: Connection): void {
    connection.acting = response;
    this.#act(response.req, response);
  }

  #hold(connection: Connection): void {
    const { socket, responses } = connection;
    this.#pacer.held(connection);
    if (this.#waiting >= MAX_WAITING && responses.length > FEW) {
      socket.destroy();
      return;
    }
    this.#waiting += 1;
    socket.pause();
    if (connection.hasPipelined) return;
    connection.hasPipelined = true;
    // Whoever reads a body resumes the socket.
    socket.on('resume', () => {
      if (responses.length > 1) socket.pause();
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
    connection.acting = null;
    if (responses.length > 0) this.#queueTurn(connection);
    if (this.#closing) setImmediate(() => this.#server.closeIdleConnections());
  }

  #queueTurn(connection: Connection): void {
    this.#turns.push(connection);
    this.#takeTurns();
  }

  /** A few in each turn of the event loop: whatever comes in on other connections goes between. */
  #takeTurns(): void {
    if (this.#isTurnComing || this.#turns.length === 0) return;
    this.#isTurnComing = true;
    setImmediate(() => {
      this.#isTurnComing = false;
      for (const connection of this.#turns.splice(0, TURNS)) this.#takeTurn(connection);
      this.#takeTurns();
    });
  }

  #takeTurn(connection: Connection): void {
    const { socket, responses } = connection;
    const [next] = responses;
    // An answer that ends its connection is the last one, whatever waits behind it (RFC 9112, section 9.6).
    if (next === undefined || !socket.writable) return;
    this.#waiting -= 1;
    this.#actOn(next, connection);
    if (responses.length === 1) socket.resume();
  }
}

/**
 * Node makes an error for each request that is cut off with its connection, and looks at the stack of each: with some
 * thousand of them, nobody else had a turn for a tenth of a second. The stack would tell nothing.
 */
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
