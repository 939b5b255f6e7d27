import type { Connection, Connections } from './connections.ts';

/** Requests that may start to wait in one turn of the event loop. One read of a socket can bring some thousand. */
const PER_TURN = 1_024;
/** Requests that may wait on a connection before its network counts as flooding. */
const MODEST = 64;
/** For how long a network counts as flooding, at most. */
const FLOODING_MS = 60_000;
/** What is parsed at once of a flooding network: some hundred requests. */
const PART_BYTES = 4_096;
/** The pause after a read, as a multiple of its duration. */
const REST = 3;
/** The network of all trusted proxies. */
const PROXIES = '';

/**
 * Keeps a flood of pipelined requests from filling a turn of the event loop, or the memory, as Node reads every ready
 * socket in one turn. When too many requests have started to wait, no socket is read for the rest of the turn. All are
 * read again in the next one, except those of flooding networks that have pipelined or are new: these are read one at a
 * time, the networks in turns, for a quarter of the time. What is read of a flooding network is parsed in small parts.
 */
export class Pacer {
  readonly #connections: Connections;
  readonly #flooding = new Set<string>();
  /** By network; the first is the next. */
  readonly #held = new Map<string, Connection[]>();
  #heldInTurn = 0;
  #isPacing = false;

  constructor(connections: Connections) {
    this.#connections = connections;
    connections.onOpened((connection) => {
      if (!this.#flooding.has(networkOf(connection))) return;
      // Node's own listeners are there, and a new socket begins to be read, paused or not, in the next tick.
      process.nextTick(() => {
        parseInParts(connection);
        if (this.#isPacing) this.#hold(connection);
      });
    });
  }

  /** A request has come that has to wait. */
  held(connection: Connection): void {
    if (connection.responses.length > MODEST) this.#addFlooding(networkOf(connection));
    if (this.#heldInTurn === 0) {
      setImmediate(() => {
        this.#heldInTurn = 0;
      });
    }
    this.#heldInTurn += 1;
    if (this.#heldInTurn === PER_TURN) this.#stopAll();
  }

  #addFlooding(network: string): void {
    if (this.#flooding.size === 0) setTimeout(() => this.#flooding.clear(), FLOODING_MS).unref();
    this.#flooding.add(network);
  }

  #stopAll(): void {
    const good: Connection[] = [];
    for (const connection of this.#connections.all()) {
      const { socket, hasAsked, hasPipelined } = connection;
      if (socket.isPaused() || socket.destroyed) continue;
      if ((!hasAsked || hasPipelined) && this.#flooding.has(networkOf(connection))) {
        this.#hold(connection);
        continue;
      }
      socket.pause();
      good.push(connection);
    }
    setImmediate(() => good.forEach(readOn));
    if (this.#isPacing) return;
    this.#isPacing = true;
    setImmediate(() => this.#pace());
  }

  #hold(connection: Connection): void {
    connection.socket.pause();
    const network = networkOf(connection);
    const known = this.#held.get(network);
    if (known === undefined) this.#held.set(network, [connection]);
    else known.push(connection);
  }

  #pace(): void {
    this.#isPacing = this.#held.size > 0;
    if (!this.#isPacing) return;
    const startMs = performance.now();
    this.#letOneGo();
    setImmediate(() => {
      const tookMs = performance.now() - startMs;
      if (tookMs < 1) this.#pace();
      else setTimeout(() => this.#pace(), tookMs * REST);
    });
  }

  #letOneGo(): void {
    for (const [network, waiting] of this.#held) {
      this.#held.delete(network);
      const next = waiting.shift();
      if (next !== undefined) readOn(next);
      if (waiting.length > 0) this.#held.set(network, waiting);
      return;
    }
  }
}

function networkOf({ slot }: Connection): string {
  return slot.network ?? PROXIES;
}

function readOn({ socket, responses }: Connection): void {
  if (responses.length <= 1) socket.resume();
}

/**
 * Lets Node parse a few kilobytes of what is read in a turn of the event loop, where a read brings up to 64: the rest
 * goes back into the socket. With another listener to its bytes Node no longer parses them below JavaScript, which
 * is quicker, so this is for flooding networks alone.
 */
function parseInParts(connection: Connection): void {
  const { socket } = connection;
  const parsers = socket.listeners('data');
  socket.removeAllListeners('data');
  socket.on('data', (bytes: Buffer) => {
    for (const parse of parsers) parse.call(socket, bytes.subarray(0, PART_BYTES));
    if (bytes.length <= PART_BYTES || socket.destroyed) return;
    // Node has resumed it after each message.
    socket.pause();
    socket.unshift(bytes.subarray(PART_BYTES));
    // It pauses its parser while the client does not read.
    if (socket.writableNeedDrain) socket.once('drain', () => readOn(connection));
    else setImmediate(() => readOn(connection));
  });
}
