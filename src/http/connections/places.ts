import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { ClientAddresses } from '../client-address.ts';
import type { ProvenClients } from '../limits/proven-clients.ts';

export interface PlacesOptions {
  readonly total: number;
  /** Places of an IPv4 address or IPv6 /64. */
  readonly perNetwork: number;
  readonly addresses: ClientAddresses;
  readonly proven: ProvenClients;
  readonly log: Logger;
  /** In the log, such as `connections`. */
  readonly name: string;
}

interface Holder {
  /** Returns since when nothing is done for the connection (`performance.now()`); null: busy. */
  idleSinceMs(): number | null;
  /** Closes the connection, since another gets its place. */
  end(): void;
}

/** The part of all places that is closed at once if no stranger is left: finding the idlest takes a full scan. */
const CLOSED_PART = 1 / 64;
const NOTIFY_EVERY_MS = 60_000;

/**
 * Limits connections of a listener. The first to give way are strangers (no complete request with a good key or session
 * yet) of the fullest network, then the longest idle. A newcomer is rejected only if there are neither. Half of the
 * places are for networks that had good keys lately. Connections of a trusted proxy count against the total only.
 */
export class Places {
  readonly #options: PlacesOptions;
  /** Connections that give way, unless their networks had good keys lately. */
  readonly #strangers = new Crowd<Place>();
  readonly #guests = new Crowd<Place>();
  /** Places by narrowest network; undefined: proxies'. */
  readonly #byNetwork = new Map<string | undefined, Set<Place>>();
  #total = 0;
  #closed = 0;
  #turnedAway = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Takes a place until it is left; null: there is none. */
  enter(socket: Pick<Socket, 'remoteAddress'>, holder: Holder): Place | null {
    const networks = this.#options.addresses.peerNetworksOf(socket);
    if (!this.#makeRoom(networks)) {
      this.#turnedAway += 1;
      this.#report();
      return null;
    }
    const place = new Place(this, networks, holder);
    this.#total += 1;
    const network = networks.at(-1);
    const neighbours = this.#byNetwork.get(network) ?? new Set();
    this.#byNetwork.set(network, neighbours.add(place));
    if (network !== undefined) this.line(place);
    return place;
  }

  /** Puts a place behind the others that give way. */
  line(place: Place): void {
    place.crowd?.delete(place, place.networks);
    place.crowd = this.#crowdFor(place.networks);
    place.crowd.add(place, place.networks);
  }

  /** Tells whether connection and network have shown no good key or session lately. */
  isStranger({ crowd }: Place): boolean {
    return crowd === this.#strangers;
  }

  free(place: Place): void {
    place.crowd?.delete(place, place.networks);
    place.crowd = null;
    this.#total -= 1;
    const network = place.networks.at(-1);
    const neighbours = this.#byNetwork.get(network);
    neighbours?.delete(place);
    if (neighbours?.size === 0) this.#byNetwork.delete(network);
  }

  #crowdFor(networks: readonly string[]): Crowd<Place> {
    return this.#options.proven.hasNetwork(networks.at(-1) ?? '') ? this.#guests : this.#strangers;
  }

  /** Tells whether a place is free or made free. */
  #makeRoom(networks: readonly string[]): boolean {
    const { total, perNetwork } = this.#options;
    const network = networks.at(-1);
    const neighbours = network === undefined ? undefined : this.#byNetwork.get(network);
    if (neighbours !== undefined && neighbours.size >= perNetwork) {
      const next = this.#strangers.in(networks)?.next() ?? this.#guests.in(networks)?.next();
      if (!this.#end(next) && !this.#endIdlest(neighbours, perNetwork)) return false;
    }
    const isStranger = network !== undefined && this.#crowdFor(networks) === this.#strangers;
    if (isStranger && this.#strangers.size >= total / 2) this.#end(this.#strangers.next());
    if (this.#total < total) return true;
    const fullest = this.#strangers.most >= this.#guests.most ? this.#strangers : this.#guests;
    return this.#end(fullest.next()) || this.#endIdlest(this.#all(), total);
  }

  #end(place: Place | undefined): boolean {
    if (place === undefined) return false;
    place.leave();
    place.holder.end();
    this.#closed += 1;
    this.#report();
    return true;
  }

  /** Returns whether there was one. */
  #endIdlest(places: Iterable<Place>, most: number): boolean {
    const idle = Array.from(places, (place) => ({ place, sinceMs: place.holder.idleSinceMs() }))
      .filter(({ sinceMs }) => sinceMs !== null)
      .sort((a, b) => Number(a.sinceMs) - Number(b.sinceMs));
    for (const { place } of idle.slice(0, Math.ceil(most * CLOSED_PART))) this.#end(place);
    return idle.length > 0;
  }

  *#all(): Iterable<Place> {
    for (const places of this.#byNetwork.values()) yield* places;
  }

  /** Logs at most once a minute, as clients retry. */
  #report(): void {
    if (performance.now() - this.#reportedAtMs < NOTIFY_EVERY_MS) return;
    this.#reportedAtMs = performance.now();
    const { log, name } = this.#options;
    log.warn({ closed: this.#closed, turnedAway: this.#turnedAway }, `too many ${name}`);
    this.#closed = 0;
    this.#turnedAway = 0;
  }
}

export class Place {
  readonly networks: readonly string[];
  readonly holder: Holder;
  /** The crowd in which it gives way; null: only while idle. */
  crowd: Crowd<Place> | null = null;
  readonly #places: Places;
  #isLeft = false;

  constructor(places: Places, networks: readonly string[], holder: Holder) {
    this.#places = places;
    this.networks = networks;
    this.holder = holder;
  }

  get isStranger(): boolean {
    return this.#places.isStranger(this);
  }

  /** Notes a request: others of its network now give way first. */
  asked(): void {
    if (this.crowd !== null) this.#places.line(this);
  }

  /** Notes a complete request with a good key or session. */
  keep(): void {
    this.crowd?.delete(this, this.networks);
    this.crowd = null;
  }

  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#places.free(this);
  }
}

/**
 * Groups members by their networks, the widest first. The next one to give way is the oldest member of the fullest
 * narrower network in the fullest wide one. Each call takes the same time, however many members there are.
 */
export class Crowd<T> {
  readonly #members = new Set<T>();
  readonly #networks = new Map<string, Crowd<T>>();
  /** The networks with one member, with two, and so on. */
  readonly #bySize: Set<Crowd<T>>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns how many members the fullest network has. */
  get most(): number {
    return this.#bySize.length;
  }

  add(member: T, [network, ...narrower]: readonly string[]): void {
    this.#size += 1;
    if (network === undefined) {
      this.#members.add(member);
      return;
    }
    const inside = this.#networks.get(network) ?? new Crowd<T>();
    this.#networks.set(network, inside);
    inside.add(member, narrower);
    this.#sort(inside, inside.#size - 1);
  }

  /** `networks`: those with which the member was added. */
  delete(member: T, [network, ...narrower]: readonly string[]): void {
    this.#size -= 1;
    const inside = this.#networks.get(network ?? '');
    if (network === undefined || inside === undefined) {
      this.#members.delete(member);
      return;
    }
    inside.delete(member, narrower);
    this.#sort(inside, inside.#size + 1);
    if (inside.#size === 0) this.#networks.delete(network);
  }

  next(): T | undefined {
    const [fullest] = this.#bySize.at(-1) ?? [];
    return fullest === undefined ? this.#members.values().next().value : fullest.next();
  }

  in([network, ...narrower]: readonly string[]): Crowd<T> | undefined {
    return network === undefined ? this : this.#networks.get(network)?.in(narrower);
  }

  #sort(inside: Crowd<T>, sizeBefore: number): void {
    this.#bySize[sizeBefore - 1]?.delete(inside);
    if (inside.#size > this.#bySize.length) this.#bySize.push(new Set());
    this.#bySize[inside.#size - 1]?.add(inside);
    while (this.#bySize.at(-1)?.size === 0) this.#bySize.pop();
  }
}
