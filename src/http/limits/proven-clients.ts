import type { IncomingMessage } from 'node:http';
import { lruCache } from '../../values/lru-cache.ts';

/** A request, as far as its connection is concerned. `socket`: undefined for a mail's. */
type SentRequest = Pick<IncomingMessage, 'headers'> & Partial<Pick<IncomingMessage, 'complete' | 'socket'>>;

const MOST_NETWORKS = 10_000;

/** Remembers from where good keys and sessions came: such clients keep a part of what strangers may fill. */
export class ProvenClients {
  readonly #networks = lruCache<string, true>(MOST_NETWORKS);
  readonly #watched = new WeakMap<object, () => void>();

  /** Whether it is one of the networks whose key or session was good last. */
  hasNetwork(network: string): boolean {
    return this.#networks.has(network);
  }

  /** A key or session from this network was good. */
  addNetwork(network: string): void {
    this.#networks.set(network, true);
  }

  /** This request has a good key or session. It counts for its connection once it has come as a whole. */
  addRequest({ headers, complete = false, socket }: SentRequest): void {
    // Node sets `complete` behind the handler's first step, also if nothing follows the header fields.
    const isWhole = complete || (headers['content-length'] ?? headers['transfer-encoding']) === undefined;
    if (!isWhole || socket === undefined) return;
    this.#watched.get(socket)?.();
    this.#watched.delete(socket);
  }

  /** Calls `onProof` at the first such request of a connection. */
  watch(socket: object, onProof: () => void): void {
    this.#watched.set(socket, onProof);
  }
}
