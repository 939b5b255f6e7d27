import type { Clock } from '../../process/clock.ts';
import { lruCache } from '../../values/lru-cache.ts';
import { type Groups, Turns, whoIsRefused } from '../../values/turns.ts';
import { ApiError } from '../errors.ts';

/** The client that asks. `networks`: its networks, the widest first. `isKnown`: it is signed in already. */
export interface Asker {
  readonly networks: readonly string[];
  readonly isKnown?: boolean;
}

/** Requests that may wait, and how many of these places are kept for those who are known. */
const PLACES = { all: 42, kept: 12 };
const RETRY_AFTER_MS = 5_000;
/** A network from which a user signed in so lately is known. */
const LATELY_MS = 30 * 86_400_000;
/** Networks that are remembered, as known and as served. */
const MOST_NETWORKS = 10_000;

interface Waiting {
  readonly groups: Groups;
  readonly isKnown: boolean;
  readonly go: () => void;
  readonly refuse: (reason: ApiError) => void;
}

/**
 * A line for what strangers may ask and what costs much. Networks take turns, and those of which most wait come last:
 * where the line is full, the youngest request of the fullest network is refused. An IPv6 client has any number of small
 * networks, so the wide ones are compared first. Some places, and every second turn, are for networks from which
 * a user signed in lately.
 */
export class NetworkTurns {
  readonly #atOnce: number;
  readonly #clock: Pick<Clock, 'steadyMs'>;
  #running = 0;
  #waiting: Waiting[] = [];
  #count = 0;
  readonly #turns = new Turns(MOST_NETWORKS);
  /** When a user signed in from there, steady time. */
  readonly #signedInAtMs = lruCache<string, number>(MOST_NETWORKS);

  constructor(atOnce: number, clock: Pick<Clock, 'steadyMs'>) {
    this.#atOnce = atOnce;
    this.#clock = clock;
  }

  /** Runs `work` in its turn. Throws `overloaded`, without running it, where too many wait. */
  async admit<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#serve(asker.networks);
    else await new Promise<void>((go, refuse) => this.#wait(asker, go, refuse));
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  /** A user has signed in from there. */
  signedIn({ networks }: Asker): void {
    const narrowest = networks.at(-1);
    if (narrowest !== undefined) this.#signedInAtMs.set(narrowest, this.#clock.steadyMs());
  }

  #wait({ networks, isKnown = false }: Asker, go: () => void, refuse: (reason: ApiError) => void): void {
    const atMs = this.#signedInAtMs.get(networks.at(-1) ?? '');
    const isLately = atMs !== undefined && this.#clock.steadyMs() - atMs < LATELY_MS;
    this.#waiting.push({ groups: networks, isKnown: isKnown || isLately, go, refuse });
    const strangers = this.#waiting.filter((asker) => !asker.isKnown);
    if (strangers.length > PLACES.all - PLACES.kept) this.#refuseOneOf(strangers);
    else if (this.#waiting.length > PLACES.all) this.#refuseOneOf(this.#waiting);
  }

  #refuseOneOf(candidates: readonly Waiting[]): void {
    const youngest = whoIsRefused(candidates);
    this.#waiting = this.#waiting.filter((asker) => asker !== youngest);
    youngest?.refuse(new ApiError('overloaded', { retryAfterMs: RETRY_AFTER_MS }));
  }

  #next(): void {
    const known = this.#waiting.filter(({ isKnown }) => isKnown);
    const next = this.#turns.next(known.length > 0 && this.#count % 2 === 0 ? known : this.#waiting);
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((asker) => asker !== next);
    this.#serve(next.groups);
    next.go();
  }

  #serve(networks: Groups): void {
    this.#count += 1;
    this.#running += 1;
    this.#turns.served(networks);
  }
}
