import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { ClientAddresses } from '../../client-address.ts';

export interface PeersOptions {
  readonly addresses: ClientAddresses;
  readonly log: Logger;
  /** For one IPv4 address, or one IPv6 /64. */
  readonly perNetwork: number;
  readonly total: number;
  /** How long a client has to show a key that is good, and then for each mail. */
  readonly strangerMs: number;
  readonly mailMs: number;
}

interface Peer {
  readonly socket: Socket;
  readonly network: string | null;
  deadline: NodeJS.Timeout;
}

const REFUSED = '421 4.7.0 Too many connections, try again later\r\n';
const NOTIFY_EVERY_MS = 60_000;

/** The open connections of mail clients, by their sessions' ids: few of a network, and each for a bounded time. */
export class Peers {
  readonly #options: PeersOptions;
  readonly #open = new Map<string, Peer>();
  readonly #taken = new Map<string, number>();
  #turnedAway = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  /** Whether it may stay. Else it gets an answer that says so, and is closed. */
  admit(id: string, socket: Socket): boolean {
    const { addresses, perNetwork, total, strangerMs } = this.#options;
    const network = addresses.peerNetworkOf(socket);
    const taken = network === null ? 0 : (this.#taken.get(network) ?? 0);
    if (taken >= perNetwork || this.#open.size >= total) {
      this.#turnAway(socket);
      return false;
    }
    if (network !== null) this.#taken.set(network, taken + 1);
    this.#open.set(id, { socket, network, deadline: setTimeout(() => socket.destroy(), strangerMs) });
    return true;
  }

  /** The connection is closed: smtp-server says so, which takes all listeners from a socket that it encrypts. */
  left(id: string): void {
    const peer = this.#open.get(id);
    if (peer === undefined) return;
    clearTimeout(peer.deadline);
    this.#open.delete(id);
    if (peer.network !== null) this.#leave(peer.network);
  }

  /** The client has shown a key that is good. */
  proven(id: string): void {
    const peer = this.#open.get(id);
    if (peer === undefined) return;
    clearTimeout(peer.deadline);
    peer.deadline = setTimeout(() => peer.socket.destroy(), this.#options.mailMs);
  }

  /** Cuts all of them off. */
  destroyAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #leave(network: string): void {
    const left = (this.#taken.get(network) ?? 0) - 1;
    if (left > 0) this.#taken.set(network, left);
    else this.#taken.delete(network);
  }

  /** Logged at most once a minute, as refused clients retry. */
  #turnAway(socket: Socket): void {
    socket.on('error', () => undefined).end(REFUSED, () => socket.destroy());
    this.#turnedAway += 1;
    if (performance.now() - this.#reportedAtMs < NOTIFY_EVERY_MS) return;
    this.#reportedAtMs = performance.now();
    this.#options.log.warn({ connections: this.#turnedAway }, 'turned mail connections away: there are too many');
    this.#turnedAway = 0;
  }
}
