import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The answers that have not ended yet: what a graceful stop waits for, and what must not be overtaken on its connection. */
export class OpenAnswers {
  readonly #server: Server;
  readonly #open = new Set<ServerResponse>();
  #closing = false;

  constructor(server: Server) {
    this.#server = server;
  }

  add(response: ServerResponse): void {
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
    this.#server.closeIdleConnections();
  }

  #removeIt(response: ServerResponse): () => void {
    return () => {
      this.#open.delete(response);
      if (this.#closing) setImmediate(() => this.#server.closeIdleConnections());
    };
  }
}
