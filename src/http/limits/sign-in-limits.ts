import type { ApiErrorCode } from '../../contract/errors.ts';
import { lruCache } from '../../values/lru-cache.ts';
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
