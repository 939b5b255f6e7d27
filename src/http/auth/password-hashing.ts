import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { decoyHash, hashPassword, verifyPassword } from '../../values/password.ts';

/**
 * scrypt keeps a core and one of libuv's four threads busy. Half of both stay free, so that floods of sign-ins do not
 * delay events.
 */
export const HASHES_AT_ONCE = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
/** Hashes and verifies passwords off the main thread, a few at a time. Callers check permissions. */
export class PasswordHashing {
  readonly #decoy = decoyHash();
  readonly #limit = pLimit(HASHES_AT_ONCE);

  /** Verifies a password. Null (no user or password) is false, after the same time. */
  verify(password: string, stored: string | null): Promise<boolean> {
    return this.#limit(() => verifyPassword(password, stored ?? this.#decoy));
  }

  hash(password: string): Promise<string> {
    return this.#limit(() => hashPassword(password));
  }
}
