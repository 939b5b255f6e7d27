import type { IncomingMessage } from 'node:http';
import { lruCache } from '../../values/lru-cache.ts';

/** A request's part about its connection. `socket`: undefined for mail. */
type SentRequest = Pick<IncomingMessage, 'headers'> & Partial<Pick<IncomingMessage, 'complete' | 'socket'>>;

const MOST_NETWORKS = 10_000;

/** Remembers where good keys and sessions came from. Those clients keep a part of what strangers may fill. */
export class ProvenClients {
  readonly #networks = lruCache<string, true>(MOST_NETWORKS);
  readonly #watched = new WeakMap<object, () => void>();

  hasNetwork(network: string): boolean {
    return this.#networks.has(network);
  }

  addNetwork(network: string): void {
    this.#networks.set(network, true);
  }

  /** Records the good key or session of a request. It counts for the connection once the request is complete. */
  addRequest({ headers, complete = false, socket }: SentRequest): void {
    // Node sets `complete` only after the handler's first step, even without a body.
    const isWhole = complete || (headers['content-length'] ?? headers['transfer-encoding']) === undefined;
    if (!isWhole || socket === undefined) return;
    this.#watched.get(socket)?.();
    this.#watched.delete(socket);
  }

  /** Calls `onProof` at the connection's first such request. */
  watch(socket: object, onProof: () => void): void {
    this.#watched.set(socket, onProof);
  }
}
