import { availableParallelism } from 'node:os';
import { decoyHash, hashPassword, verifyPassword } from '../../contract/password.ts';
import { ApiError } from '../errors.ts';

/**
 * scrypt keeps a core busy, on one of libuv's threads, of which there are four by default. Half of the cores and of the threads
 * stay free: a flood of sign-ins must not hold up events.
 */
const AT_A_TIME = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
/** One takes some tenths of a second. Whoever would wait longer than clients do is sent away at once. */
const PLACES = 42;
const RETRY_AFTER_MS = 5_000;

/** Where passwords are hashed and verified: off the main thread, few at a time, with a waiting line that has an end. */
export class PasswordHashing {
  readonly #decoy = decoyHash();
  readonly #waiting: (() => void)[] = [];
  #places = 0;
  #busy = 0;

  /**
   * Runs what verifies and hashes passwords, one after another. Throws `overloaded`, without running it, where the line is
   * too long: whoever is sent away has left no trace, not even in the limits on guessing.
   */
  async withPlace<T>(work: () => Promise<T>): Promise<T> {
    if (this.#places === PLACES) throw new ApiError('overloaded', { retryAfterMs: RETRY_AFTER_MS });
    this.#places += 1;
    try {
      return await work();
    } finally {
      this.#places -= 1;
    }
  }

  /** `stored` null: nobody has that address, or no password. That takes as long, and is never right. */
  verify(password: string, stored: string | null): Promise<boolean> {
    return this.#inTurn(() => verifyPassword(password, stored ?? this.#decoy));
  }

  hash(password: string): Promise<string> {
    return this.#inTurn(() => hashPassword(password));
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy === AT_A_TIME) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy -= 1;
      else next();
    }
  }
}
