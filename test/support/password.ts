import { randomBytes, scryptSync } from 'node:crypto';

/** Milliseconds; a real one takes a quarter of a second of a core. */
const COST = { N: 2 ** 10, r: 8, p: 1 } as const;

/** The stored form of a password, which any server verifies, at hardly any cost. */
export function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password.normalize('NFKC'), salt, 32, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}
