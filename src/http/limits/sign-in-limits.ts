import type { ApiErrorCode } from '../../contract/errors.ts';
import { ApiError } from '../errors.ts';
import { type CountingStore, countUses, SharedLimit, type Use } from './shared-limits.ts';

/** Whose failures are counted together: `network` an IPv4 address or an IPv6 /64, `email` in canonical form. */
export interface Guesser {
  readonly network: string;
  readonly email: string;
}

/** Unauthenticated clients choose these names: beyond so many, those with the fewest failures are dropped. */
const GUESSES = { windowMs: 15 * 60_000, maxNames: 20_000 };

/** Failures in 15 minutes. An office shares one address; one person may be attacked from many. */
const PER_PAIR = 10;
const PER_NETWORK = 100;
const PER_EMAIL = 50;
const CODES_PER_NETWORK = 10;

/** Limits on guessing passwords and pairing codes. Only failures count. */
export class SignInLimits {
  readonly #networks = new SharedLimit('sign-in network', GUESSES);
  readonly #pairs = new SharedLimit('sign-in pair', GUESSES);
  readonly #emails = new SharedLimit('sign-in email', GUESSES);
  readonly #codes = new SharedLimit('pairing network', GUESSES);
  readonly #store: CountingStore;

  constructor(store: CountingStore) {
    this.#store = store;
  }

  /** Runs `guess`, which resolves to null for a wrong one. Throws `sign_in_throttled` without running it. */
  password<T>({ network, email }: Guesser, nowMs: number, guess: () => Promise<T | null>): Promise<T | null> {
    const uses: Use[] = [
      { of: this.#networks, name: network, most: PER_NETWORK },
      { of: this.#pairs, name: `${network} ${email}`, most: PER_PAIR },
      { of: this.#emails, name: email, most: PER_EMAIL },
    ];
    return this.#counted(uses, 'sign_in_throttled', nowMs, guess);
  }

  /** The same for pairing codes, with `pairing_throttled`. */
  pairingCode<T>(network: string, nowMs: number, guess: () => Promise<T | null>): Promise<T | null> {
    const uses: Use[] = [{ of: this.#codes, name: network, most: CODES_PER_NETWORK }];
    return this.#counted(uses, 'pairing_throttled', nowMs, guess);
  }

  /**
   * Counts before the guess, so that concurrent guesses cannot exceed the limit, and takes that back unless it failed.
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
