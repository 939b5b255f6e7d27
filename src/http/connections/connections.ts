import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Place, Places, type PlacesOptions } from './places.ts';

/** An open connection; with TLS, its handshake is done. */
export interface Connection {
  readonly socket: Socket;
  readonly place: Place;
  /** Unfinished responses in order of their requests. */
  readonly responses: ServerResponse[];
  /** The response whose request is being handled. */
  acting: ServerResponse | null;
  hasAsked: boolean;
  /** Whether a request ever waited for an earlier one. */
  hasPipelined: boolean;
  /** Whether it ends after the pending responses. */
  isEnding: boolean;
  /** Time of the last request or opening, as exact as checks are frequent. */
  askedAtMs: number;
  /** How long a finished response has been unread. */
  unreadMs: number;
  /** Bytes received at the last known request. */
  askedBytes: number;
}

interface ConnectionsOptions extends PlacesOptions {
  /** The connection is closed when a response is unread this long. */
  readonly unreadMs: number;
  readonly checkMs: number;
}

/** A response unread this long makes the connection idle. */
const AS_GOOD_AS_IDLE_MS = 10_000;
/** Exceeds the header limit. Node skips any number of line breaks before a request. */
const MOST_BYTES_UNASKED = 32_768;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #places: Places;
  readonly #open = new Map<Duplex, Connection>();
  /** With TLS: how connections with an unfinished handshake go on, by the client's address and port. */
  readonly #handshaking = new Map<string, (socket: Socket) => void>();
  #nowMs = performance.now();

  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
    this.#places = new Places(options);
    const isSecure = 'setSecureContext' in server;
    server.on('connection', (socket: Socket) => this.#admit(socket, isSecure));
    if (isSecure) server.on('secureConnection', (socket: Socket) => this.#finishHandshake(socket));
    const checks = setInterval(() => this.#check(), options.checkMs).unref();
    server.once('close', () => clearInterval(checks));
  }

  /** Undefined once it has closed. */
  get(socket: Duplex): Connection | undefined {
    return this.#open.get(socket);
  }

  all(): Iterable<Connection> {
    return this.#open.values();
  }

  asked(connection: Connection): void {
    connection.hasAsked = true;
    connection.askedAtMs = this.#nowMs;
    connection.place.asked();
  }

  #admit(socket: Socket, isSecure: boolean): void {
    const openedAtMs = this.#nowMs;
    let connection: Connection | null = null;
    const place = this.#places.enter(socket, {
      idleSinceMs: () => (connection === null ? openedAtMs : idleSinceMs(connection)),
      end: () => (connection?.socket ?? socket).destroy(),
    });
    if (place === null) {
      socket.destroy();
      return;
    }
    socket.once('close', () => place.leave());
    const open = (opened: Socket): void => {
      connection = this.#add(opened, place);
    };
    if (!isSecure) {
      open(socket);
      return;
    }
    const name = nameOf(socket);
    this.#handshaking.set(name, open);
    socket.once('close', () => this.#handshaking.delete(name));
  }

  /** Matches by remote address and port: the TLS socket does not know the raw one. */
  #finishHandshake(socket: Socket): void {
    const open = this.#handshaking.get(nameOf(socket));
    if (open === undefined) socket.destroy();
    else open(socket);
  }

  #add(socket: Socket, place: Place): Connection {
    const connection: Connection = {
      socket,
      place,
      responses: [],
      acting: null,
      hasAsked: false,
      hasPipelined: false,
      isEnding: false,
      askedAtMs: this.#nowMs,
      unreadMs: 0,
      askedBytes: 0,
    };
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
    this.#options.proven.watch(socket, () => place.keep());
    return connection;
  }

  #check(): void {
    const checkedAtMs = this.#nowMs;
    const sinceMs = performance.now() - checkedAtMs;
    this.#nowMs += sinceMs;
    for (const connection of this.#open.values()) {
      const { socket, askedAtMs } = connection;
      const [first] = connection.responses;
      if (first === undefined) connection.unreadMs = 0;
      else if (first.writableEnded) connection.unreadMs += sinceMs;
      if (first !== undefined || askedAtMs >= checkedAtMs) connection.askedBytes = socket.bytesRead;
      const isTooMuch = socket.bytesRead - connection.askedBytes > MOST_BYTES_UNASKED;
      if (isTooMuch || connection.unreadMs > this.#options.unreadMs) socket.destroy();
    }
  }
}

/** Returns since when the connection is idle; null: busy. Awaiting the rest of a request counts as idle. */
function idleSinceMs({ responses: [first], askedAtMs, unreadMs }: Connection): number | null {
  const isIdle = first === undefined || !first.req.complete || (first.writableEnded && unreadMs > AS_GOOD_AS_IDLE_MS);
  return isIdle ? askedAtMs : null;
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
