import type { Clock } from '../../process/clock.ts';
import { lruCache } from '../../values/lru-cache.ts';
import { type Groups, Turns, whoIsRefused } from '../../values/turns.ts';
import { ApiError } from '../errors.ts';

/** The asking client. `networks`: the widest first. `isKnown`: signed in. */
export interface Asker {
  readonly networks: readonly string[];
  readonly isKnown?: boolean;
}

/** The most waiting requests, and how many of these places are kept for known clients. */
const PLACES = { all: 42, kept: 12 };
const RETRY_AFTER_MS = 5_000;
/** How long a sign-in makes a network known. */
const LATELY_MS = 30 * 86_400_000;
/** Remembered networks, known and served. */
const MOST_NETWORKS = 10_000;

interface Waiting {
  readonly groups: Groups;
  readonly isKnown: boolean;
  readonly go: () => void;
  readonly refuse: (reason: ApiError) => void;
}

/**
 * Queues costly requests of strangers. Networks take turns, those with most waiting requests last. A full queue rejects
 * the fullest network's youngest. The widest networks are compared first: IPv6 clients have any number of small ones.
 * Networks of a recent sign-in have reserved places and every second turn.
 */
export class NetworkTurns {
  readonly #atOnce: number;
  readonly #clock: Pick<Clock, 'steadyMs'>;
  #running = 0;
  #waiting: Waiting[] = [];
  #count = 0;
  readonly #turns = new Turns(MOST_NETWORKS);
  /** Networks' last sign-ins, steady time. */
  readonly #signedInAtMs = lruCache<string, number>(MOST_NETWORKS);

  constructor(atOnce: number, clock: Pick<Clock, 'steadyMs'>) {
    this.#atOnce = atOnce;
    this.#clock = clock;
  }

  /** Runs `work` in turn. Throws `overloaded`, without running, if too many wait. */
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
