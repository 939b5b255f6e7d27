import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Place, Places, type PlacesOptions } from '../../connections/places.ts';

interface PeersOptions extends PlacesOptions {
  /** Time to show a good key, and then for each mail. */
  readonly strangerMs: number;
  readonly mailMs: number;
  /** Bytes outside of mails, until the next mail and for a mail. */
  readonly commandBytes: number;
  readonly mailBytes: number;
  /** Closes a connection. `reason`: sent as 421; null: already answered. */
  readonly hangUp: (id: string, reason: string | null) => void;
}

interface Peer {
  readonly socket: Socket;
  readonly place: Place;
  deadline: NodeJS.Timeout;
  leftBytes: number;
  /** Null: a mail is being taken. */
  idleSinceMs: number | null;
  stop: () => void;
}

/** How much more is read of a client that sent too much: a reset would overtake its answer. */
const LINGER_BYTES = 1_048_576;
const TOO_MANY = 'Too many connections, try again later';
const TOO_MUCH = 'Too much data';

export class Peers {
  readonly #options: PeersOptions;
  readonly #places: Places;
  readonly #open = new Map<string, Peer>();

  constructor(options: PeersOptions) {
    this.#options = options;
    this.#places = new Places(options);
  }

  /** Admits a connection, or answers why not and closes it. Bytes of an `encrypted` one count after decryption. */
  admit(id: string, socket: Socket, kind: 'plain' | 'encrypted' = 'plain'): boolean {
    const { strangerMs, commandBytes, hangUp } = this.#options;
    const place = this.#places.enter(socket, {
      idleSinceMs: () => this.#open.get(id)?.idleSinceMs ?? null,
      end: () => {
        hangUp(id, TOO_MANY);
        socket.destroy();
      },
    });
    if (place === null) {
      socket.on('error', () => undefined).end(`421 4.7.0 ${TOO_MANY}\r\n`, () => socket.destroy());
      return false;
    }
    this.#open.set(id, {
      socket,
      place,
      deadline: setTimeout(() => socket.destroy(), strangerMs),
      leftBytes: commandBytes,
      idleSinceMs: performance.now(),
      stop: () => hangUp(id, TOO_MUCH),
    });
    if (kind === 'plain') this.count(id, socket);
    return true;
  }

  /** Counts a socket's bytes: the accepted one's, then the encrypted one's. */
  count(id: string, socket: Duplex): void {
    socket.on('data', ({ length }: Buffer) => {
      const peer = this.#open.get(id);
      if (peer === undefined) return;
      const wasOver = peer.leftBytes < 0;
      peer.leftBytes -= length;
      if (peer.leftBytes < -LINGER_BYTES) peer.socket.destroy();
      else if (peer.leftBytes < 0 && !wasOver) peer.stop();
    });
  }

  /** Records the close. smtp-server reports it, as it removes listeners from encrypted sockets. */
  left(id: string): void {
    const peer = this.#open.get(id);
    if (peer === undefined) return;
    clearTimeout(peer.deadline);
    this.#open.delete(id);
    peer.place.leave();
  }

  proven(id: string): void {
    const peer = this.#open.get(id);
    if (peer === undefined) return;
    clearTimeout(peer.deadline);
    peer.deadline = setTimeout(() => peer.socket.destroy(), this.#options.mailMs);
    const network = peer.place.networks.at(-1);
    if (network !== undefined) this.#options.proven.addNetwork(network);
    peer.place.asked();
  }

  /** Begins a mail; `stop` ends too long ones. */
  receives(id: string, stop: () => void): void {
    const peer = this.#open.get(id);
    if (peer === undefined) return;
    Object.assign(peer, { leftBytes: this.#options.mailBytes, idleSinceMs: null, stop });
  }

  /** Ends a mail. `isTaken`: accepted. */
  received(id: string, isTaken: boolean): void {
    const { commandBytes, hangUp } = this.#options;
    const peer = this.#open.get(id);
    if (peer === undefined) return;
    if (isTaken) peer.place.keep();
    if (peer.leftBytes < 0) hangUp(id, null);
    else peer.leftBytes = commandBytes;
    Object.assign(peer, { idleSinceMs: performance.now(), stop: () => hangUp(id, TOO_MUCH) });
  }

  /** Cuts all of them off. */
  destroyAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }
}
