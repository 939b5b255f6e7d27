import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { decoyHash, hashPassword, verifyPassword } from '../../contract/password.ts';
import { ApiError } from '../errors.ts';

/**
 * scrypt keeps a core busy, on one of libuv's threads (four by default). Half of the cores and of these threads stay
 * free: a flood of sign-ins must not delay events.
 */
const CONCURRENCY = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
/** A hash takes some tenths of a second: clients time out before a longer queue is worked off. */
const MAX_REQUESTS = 42;
const RETRY_AFTER_MS = 5_000;

/** Hashes and verifies passwords off the main thread, a few at a time, for a bounded number of requests. */
export class PasswordHashing {
  readonly #decoy = decoyHash();
  readonly #limit = pLimit(CONCURRENCY);
  #requests = 0;

  /**
   * Runs the part of a request that verifies and hashes passwords. Throws `overloaded`, without running it, while there
   * are too many such requests: a refused one is not counted as a guess either.
   */
  async admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#requests === MAX_REQUESTS) throw new ApiError('overloaded', { retryAfterMs: RETRY_AFTER_MS });
    this.#requests += 1;
    try {
      return await work();
    } finally {
      this.#requests -= 1;
    }
  }

  /** `stored` null: no such user, or no password. Takes as long as for a real one, and is always false. */
  verify(password: string, stored: string | null): Promise<boolean> {
    return this.#limit(() => verifyPassword(password, stored ?? this.#decoy));
  }

  hash(password: string): Promise<string> {
    return this.#limit(() => hashPassword(password));
  }
}
