import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { decoyHash, hashPassword, verifyPassword } from '../../values/password.ts';

/**
 * scrypt keeps a core busy, on one of libuv's threads (four by default). Half of the cores and of these threads stay
 * free, so that a flood of sign-ins does not delay events.
 */
export const HASHES_AT_ONCE = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));

/** Hashes and verifies passwords off the main thread, a few at a time. Callers check permissions. */
export class PasswordHashing {
  readonly #decoy = decoyHash();
  readonly #limit = pLimit(HASHES_AT_ONCE);

  /**
   * Verifies a password. `stored` null (no such user, or no password) takes as long as a real hash and is always false.
   */
  verify(password: string, stored: string | null): Promise<boolean> {
    return this.#limit(() => verifyPassword(password, stored ?? this.#decoy));
  }

  hash(password: string): Promise<string> {
    return this.#limit(() => hashPassword(password));
  }
}
