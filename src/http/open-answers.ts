import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

interface Connection {
  /** Those that have not ended, in the order of their requests. */
  readonly answers: ServerResponse[];
  /** Node does not count a connection as idle before its first request. */
  isSilent: boolean;
}

/**
 * The answers that have not ended yet: what a graceful stop waits for, and what must not be overtaken on its connection.
 *
 * They stand in a short list for each connection, not in one set. A set moves to a new table after every hundred or so that
 * came and went, and a table that grew old keeps the next one alive until a full collection, that one the next, and so on:
 * from then on each request that is open at a move outlives itself. In a trial half of all that was added did, of the lists' nothing.
 */
export class OpenAnswers {
  readonly #server: Server;
  readonly #connections = new Map<Duplex, Connection>();
  #closing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Duplex) => {
      this.#connections.set(socket, { answers: [], isSilent: true });
      socket.once('close', () => this.#connections.delete(socket));
    });
  }

  add(response: ServerResponse): void {
    const connection = this.#connections.get(response.req.socket);
    if (!connection) return; // It has closed: there is nobody to answer.
    connection.isSilent = false;
    connection.answers.push(response);
    response.once('close', () => this.#remove(response, connection));
    if (this.#closing) response.shouldKeepAlive = false;
  }

  /** The last answer on its way on this connection to a request that has arrived in full. */
  lastOn(socket: Duplex): ServerResponse | undefined {
    return this.#connections.get(socket)?.answers.findLast(({ req }) => req.complete);
  }

  /** The answer to the request on this connection that has not arrived in full. */
  unfinishedOn(socket: Duplex): ServerResponse | undefined {
    return this.#connections.get(socket)?.answers.findLast(({ req }) => !req.complete);
  }

  /** From now on a connection ends with its answer. Those that have none under way end at once. */
  closeWhenDone(): void {
    this.#closing = true;
    for (const [socket, { answers, isSilent }] of this.#connections) {
      if (isSilent) socket.destroy();
      for (const response of answers) if (!response.headersSent) response.shouldKeepAlive = false;
    }
    this.#server.closeIdleConnections();
  }

  #remove(response: ServerResponse, { answers }: Connection): void {
    answers.splice(answers.indexOf(response), 1);
    if (this.#closing) setImmediate(() => this.#server.closeIdleConnections());
  }
}
