import type { ApiErrorCode } from '../../contract/errors.ts';
import { ApiError } from '../errors.ts';
import { RollingWindows } from './rolling-windows.ts';

/** Whose failures are counted together: `network` an IPv4 address or an IPv6 /64, `email` in canonical form. */
export interface Guesser {
  readonly network: string;
  readonly email: string;
}

const WINDOW_MS = 15 * 60_000;
/** Unauthenticated clients choose these names: beyond so many, those with the fewest failures are dropped. */
const MAX_NAMES = 20_000;

/** Failures in 15 minutes. An office shares one address; one person may be attacked from many. */
const PER_PAIR = 10;
const PER_NETWORK = 100;
const PER_EMAIL = 50;
const CODES_PER_NETWORK = 10;

/** Limits on guessing passwords and pairing codes. Only failures count. */
export class SignInLimits {
  readonly #networks = new Failures(PER_NETWORK);
  readonly #pairs = new Failures(PER_PAIR);
  readonly #emails = new Failures(PER_EMAIL);
  readonly #codes = new Failures(CODES_PER_NETWORK);

  /** Runs `guess`, which resolves to null for a wrong one. Throws `sign_in_throttled` without running it. */
  password<T>({ network, email }: Guesser, nowMs: number, guess: () => Promise<T | null>): Promise<T | null> {
    const counts: Count[] = [
      [this.#networks, network],
      [this.#pairs, `${network} ${email}`],
      [this.#emails, email],
    ];
    return counted(counts, 'sign_in_throttled', nowMs, guess);
  }

  /** The same for pairing codes, with `pairing_throttled`. */
  pairingCode<T>(network: string, nowMs: number, guess: () => Promise<T | null>): Promise<T | null> {
    return counted([[this.#codes, network]], 'pairing_throttled', nowMs, guess);
  }
}

type Count = readonly [failures: Failures, name: string];

/**
 * Counts before the guess, so that concurrent guesses cannot exceed the limit, and takes that back unless it failed.
 */
async function counted<T>(
  counts: readonly Count[],
  refusal: ApiErrorCode,
  nowMs: number,
  guess: () => Promise<T | null>,
): Promise<T | null> {
  const made: Count[] = [];
  let failed = false;
  try {
    for (const [failures, name] of counts) {
      failures.add(name, nowMs, refusal);
      made.push([failures, name]);
    }
    const answer = await guess();
    failed = answer === null;
    return answer;
  } finally {
    if (!failed) for (const [failures, name] of made) failures.takeBack(name, nowMs);
  }
}

class Failures {
  readonly #windows = new RollingWindows(MAX_NAMES, WINDOW_MS);
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(name: string, nowMs: number, refusal: ApiErrorCode): void {
    const { admitted, resetAfterMs } = this.#windows.admit(name, this.#limit, nowMs);
    if (!admitted) throw new ApiError(refusal, { retryAfterMs: resetAfterMs });
  }

  takeBack(name: string, atMs: number): void {
    this.#windows.takeBack(name, atMs);
  }
}
