import type { ApiErrorCode } from '../../contract/errors.ts';
import type { Clock } from '../../process/clock.ts';
import { lruCache } from '../../values/lru-cache.ts';
import { type Groups, Turns, whoIsRefused } from '../../values/turns.ts';
import { ApiError } from '../errors.ts';
import { type CountingStore, countUses, SharedLimit, type Use } from './rolling-windows.ts';

/**
 * A guesser, whose failures count together. `networks`: an IPv4 address, or an IPv6 /48, /56 and /64, the narrowest
 * last. `email`: canonical.
 */
interface Guesser {
  readonly networks: readonly string[];
  readonly email: string;
}

/** Strangers choose names; beyond this those with fewest failures are dropped. */
const GUESSES = { windowMs: 15 * 60_000, maxNames: 20_000 };

/** Failures in 15 minutes. Offices share an address; a person may be attacked from many. */
const PER_PAIR = 10;
const PER_NETWORK = 100;
const PER_EMAIL = 50;
const CODES_PER_NETWORK = 10;
const PROVIDED_PER_NETWORK = 30;
/** Each wider IPv6 network may have this many times as many failures: a /48 may be a mobile carrier's. */
const WIDER = 4;
/** The most remembered sign-ins by password, each of a person from a network. */
const MOST_PROVEN = 20_000;

/** Limits guesses of passwords and codes. Only failures count. */
export class SignInLimits {
  readonly #networks = new SharedLimit('sign-in network', GUESSES);
  readonly #pairs = new SharedLimit('sign-in pair', GUESSES);
  readonly #emails = new SharedLimit('sign-in email', GUESSES);
  readonly #codes = new SharedLimit('pairing network', GUESSES);
  readonly #provided = new SharedLimit('provider network', GUESSES);
  readonly #store: CountingStore;
  readonly #proven = lruCache<string, true>(MOST_PROVEN);

  constructor(store: CountingStore) {
    this.#store = store;
  }

  /**
   * Runs `guess` (null: wrong). Beyond the limit throws `sign_in_throttled` without running it. Guesses elsewhere never
   * lock out a user where they signed in before.
   */
  async password<T>({ networks, email }: Guesser, nowMs: number, guess: () => Promise<T | null>): Promise<T | null> {
    const pair = `${networks.at(-1)} ${email}`;
    const isProven = this.#proven.has(pair);
    const uses: Use[] = [
      ...networkUses(this.#networks, isProven ? networks.slice(-1) : networks, PER_NETWORK),
      { of: this.#pairs, name: pair, most: PER_PAIR },
      ...(isProven ? [] : [{ of: this.#emails, name: email, most: PER_EMAIL }]),
    ];
    const answer = await this.#counted(uses, 'sign_in_throttled', nowMs, guess);
    if (answer !== null) this.#proven.set(pair, true);
    return answer;
  }

  /** Limits pairing codes, throwing `pairing_throttled`. */
  pairingCode<T>(networks: readonly string[], nowMs: number, guess: () => Promise<T | null>): Promise<T | null> {
    return this.#counted(networkUses(this.#codes, networks, CODES_PER_NETWORK), 'pairing_throttled', nowMs, guess);
  }

  /** Limits a provider's sign-ins, throwing `sign_in_throttled`. */
  provider<T>(networks: readonly string[], nowMs: number, guess: () => Promise<T | null>): Promise<T | null> {
    return this.#counted(
      networkUses(this.#provided, networks, PROVIDED_PER_NETWORK),
      'sign_in_throttled',
      nowMs,
      guess,
    );
  }

  /**
   * Counts before the guess, so concurrent guesses cannot exceed the limit. Takes that back unless the guess was wrong.
   */
  async #counted<T>(
    uses: readonly Use[],
    refusal: ApiErrorCode,
    nowMs: number,
    guess: () => Promise<T | null>,
  ): Promise<T | null> {
    const { admitted, resetAfterMs, takeBack } = await countUses(this.#store, uses, nowMs);
    if (!admitted) throw new ApiError(refusal, { retryAfterMs: resetAfterMs });
    let failed = false;
    try {
      const answer = await guess();
      failed = answer === null;
      return answer;
    } finally {
      if (!failed) await takeBack();
    }
  }
}

/** `most`: in the narrowest. */
function networkUses(of: SharedLimit, networks: readonly string[], most: number): Use[] {
  return networks.map((name, place) => ({ of, name, most: most * WIDER ** (networks.length - 1 - place) }));
}

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
