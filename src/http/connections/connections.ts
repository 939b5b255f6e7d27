import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { ClientAddresses } from '../client-address.ts';

/** How many connections there may be at a time. */
export interface ConnectionLimits {
  readonly total: number;
  /** For one IPv4 address, or one IPv6 /64. */
  readonly perNetwork: number;
}

/** An open connection; with TLS, one whose handshake is done. */
export interface Connection {
  readonly socket: Duplex;
  readonly slot: Slot;
  /** The responses that have not ended, in the order of their requests. */
  readonly responses: ServerResponse[];
  /** The one of them whose request is being handled. */
  acting: ServerResponse | null;
  hasAsked: boolean;
  /** Whether a request on it ever had to wait for the one before. */
  hasPipelined: boolean;
  /** Whether it ends after the responses that it waits for. */
  isEnding: boolean;
  /** Time of its last request, or of its opening; as exact as the checks are frequent. */
  askedAtMs: number;
  /** How long the client has left a finished response unread. */
  unreadMs: number;
}

/** A connection as it counts against the limits. */
interface Slot {
  /** The client's network; null: a trusted proxy. */
  readonly network: string | null;
  isFree: boolean;
}

export interface ConnectionsOptions {
  readonly limits: ConnectionLimits;
  readonly addresses: ClientAddresses;
  readonly log: Logger;
  /** The connection is closed when a response is unread for so long. */
  readonly unreadMs: number;
  readonly checkMs: number;
}

/** The part of all that is closed at once when there are too many: to find the idlest, each has to be looked at. */
const CLOSED_PART = 1 / 64;
/** A connection whose response is unread for so long counts as idle. */
const AS_GOOD_AS_IDLE_MS = 10_000;
const NOTIFY_EVERY_MS = 60_000;

/**
 * The open connections. One network may hold `perNetwork` of them, so that no client can take all. When there are too
 * many, those that have been idle for longest are closed; a new one is refused only if none is idle. A trusted proxy
 * stands for many clients: its connections count against the total only.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Duplex, Connection>();
  /** With TLS: slots of connections whose handshake is not done, by the client's address and port. */
  readonly #handshaking = new Map<string, Slot>();
  readonly #taken = new Map<string, number>();
  #total = 0;
  #nowMs = performance.now();
  #turnedAway = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
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

  /** A request has come. */
  asked(connection: Connection): void {
    connection.hasAsked = true;
    connection.askedAtMs = this.#nowMs;
  }

  #admit(socket: Socket, isSecure: boolean): void {
    const network = this.#options.addresses.peerNetworkOf(socket);
    if (!this.#hasRoomFor(network)) {
      this.#turnAway(socket);
      return;
    }
    const slot: Slot = { network, isFree: false };
    this.#total += 1;
    if (network !== null) this.#taken.set(network, (this.#taken.get(network) ?? 0) + 1);
    socket.once('close', () => this.#free(slot));
    if (!isSecure) {
      this.#add(socket, slot);
      return;
    }
    const name = nameOf(socket);
    this.#handshaking.set(name, slot);
    socket.once('close', () => this.#handshaking.delete(name));
  }

  /** TLS makes a new socket without a reference to the raw one: they share the remote address and port. */
  #finishHandshake(socket: Socket): void {
    const slot = this.#handshaking.get(nameOf(socket));
    if (slot === undefined) socket.destroy();
    else this.#add(socket, slot);
  }

  #add(socket: Duplex, slot: Slot): void {
    const connection: Connection = {
      socket,
      slot,
      responses: [],
      acting: null,
      hasAsked: false,
      hasPipelined: false,
      isEnding: false,
      askedAtMs: this.#nowMs,
      unreadMs: 0,
    };
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
  }

  #hasRoomFor(network: string | null): boolean {
    const { total, perNetwork } = this.#options.limits;
    if (network !== null && (this.#taken.get(network) ?? 0) >= perNetwork) {
      if (!this.#closeIdlest(perNetwork, ({ slot }) => slot.network === network)) return false;
    }
    return this.#total < total || this.#closeIdlest(total, () => true);
  }

  /** Returns whether there was one to close. */
  #closeIdlest(of: number, isMeant: (connection: Connection) => boolean): boolean {
    const idle = [...this.#open.values()].filter((connection) => isIdle(connection) && isMeant(connection));
    idle.sort((one, other) => one.askedAtMs - other.askedAtMs);
    for (const connection of idle.slice(0, Math.ceil(of * CLOSED_PART))) {
      this.#free(connection.slot);
      connection.socket.destroy();
    }
    return idle.length > 0;
  }

  #free(slot: Slot): void {
    if (slot.isFree) return;
    slot.isFree = true;
    this.#total -= 1;
    if (slot.network === null) return;
    const left = (this.#taken.get(slot.network) ?? 0) - 1;
    if (left > 0) this.#taken.set(slot.network, left);
    else this.#taken.delete(slot.network);
  }

  /** Logged at most once a minute, as refused clients retry. */
  #turnAway(socket: Socket): void {
    socket.destroy();
    this.#turnedAway += 1;
    if (performance.now() - this.#reportedAtMs < NOTIFY_EVERY_MS) return;
    this.#reportedAtMs = performance.now();
    this.#options.log.warn({ connections: this.#turnedAway }, 'turned connections away: there are too many');
    this.#turnedAway = 0;
  }

  #check(): void {
    const sinceMs = performance.now() - this.#nowMs;
    this.#nowMs += sinceMs;
    for (const connection of this.#open.values()) {
      const [first] = connection.responses;
      if (first === undefined) connection.unreadMs = 0;
      else if (first.writableEnded) connection.unreadMs += sinceMs;
      if (connection.unreadMs > this.#options.unreadMs) connection.socket.destroy();
    }
  }
}

/** Whether nothing is being done for it. */
function isIdle({ socket, responses: [first], unreadMs }: Connection): boolean {
  return !socket.destroyed && (first === undefined || (first.writableEnded && unreadMs > AS_GOOD_AS_IDLE_MS));
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
