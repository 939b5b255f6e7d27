import type { Connection, Connections } from './connections.ts';

/** Requests that may come to wait in one turn of the event loop. One read of a socket can bring some thousand. */
const PER_TURN = 1_024;

/**
 * Keeps a flood of pipelined requests from filling a turn of the event loop, or the memory: in one turn Node reads every
 * socket on which something has come. When too many requests came to wait, no socket is read for the rest of the turn;
 * then those that have never pipelined are read on at once, the others one a turn.
 */
export class Pacer {
  readonly #connections: Connections;
  #suspects: Connection[] = [];
  #heldInTurn = 0;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** A request has come that has to wait. */
  held(): void {
    if (this.#heldInTurn === 0) {
      setImmediate(() => {
        this.#heldInTurn = 0;
      });
    }
    this.#heldInTurn += 1;
    if (this.#heldInTurn === PER_TURN) this.#stopAll();
  }

  #stopAll(): void {
    const good: Connection[] = [];
    const isPacing = this.#suspects.length > 0;
    for (const connection of this.#connections.all()) {
      const { socket, hasAsked, hasPipelined } = connection;
      if (socket.isPaused() || socket.destroyed) continue;
      socket.pause();
      if (hasAsked && !hasPipelined) good.push(connection);
      else this.#suspects.push(connection);
    }
    setImmediate(() => good.forEach(readOn));
    if (!isPacing && this.#suspects.length > 0) setImmediate(() => this.#letOneGo());
  }

  #letOneGo(): void {
    const next = this.#suspects.shift();
    if (next !== undefined) readOn(next);
    if (this.#suspects.length > 0) setImmediate(() => this.#letOneGo());
  }
}

function readOn({ socket, answers }: Connection): void {
  if (answers.length <= 1) socket.resume();
}
