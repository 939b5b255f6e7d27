import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * The answers that have not ended yet: what a graceful stop waits for, and what must not be overtaken on its connection.
 * Node does not count a connection as idle before its first request, so those are remembered here, too.
 */
export class OpenAnswers {
  readonly #server: Server;
  readonly #open = new Set<ServerResponse>();
  readonly #silent = new Set<Duplex>();
  #closing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Duplex) => {
      this.#silent.add(socket);
      socket.once('close', () => this.#silent.delete(socket));
    });
  }

  add(response: ServerResponse): void {
    this.#silent.delete(response.req.socket);
    this.#open.add(response);
    response.once('close', this.#removeIt(response));
    if (this.#closing) response.shouldKeepAlive = false;
  }

  /** The last answer on its way on this connection to a request that has arrived in full. */
  lastOn(socket: Duplex): ServerResponse | undefined {
    return [...this.#open].findLast(({ req }) => req.socket === socket && req.complete);
  }

  /** The answer to the request on this connection that has not arrived in full. */
  unfinishedOn(socket: Duplex): ServerResponse | undefined {
    return [...this.#open].findLast(({ req }) => req.socket === socket && !req.complete);
  }

  /** From now on a connection ends with its answer. Those that have none under way end at once. */
  closeWhenDone(): void {
    this.#closing = true;
    for (const response of this.#open) {
      if (!response.headersSent) response.shouldKeepAlive = false;
    }
    for (const socket of this.#silent) socket.destroy();
    this.#server.closeIdleConnections();
  }

  #removeIt(response: ServerResponse): () => void {
    return () => {
      this.#open.delete(response);
      if (this.#closing) setImmediate(() => this.#server.closeIdleConnections());
    };
  }
}
