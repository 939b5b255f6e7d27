import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/**
 * Stored passwords are `scrypt$N$r$p$salt$hash` in base64url, with parameters, so they can grow. OWASP recommends N =
 * 2^15, r = 8, p = 3.
 */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const LEAST_CHARACTERS = 8;
const MOST_BYTES = 1024;
const STORED = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;

/** Returns a new password's fault as a full sentence, or null. */
export function passwordProblem(password: string): string | null {
  if ([...password].length < LEAST_CHARACTERS) return `The password must have at least ${LEAST_CHARACTERS} characters.`;
  if (Buffer.byteLength(password) > MOST_BYTES) return `The password must not be greater than ${MOST_BYTES} bytes.`;
  return null;
}

/** Returns a hash that matches nothing and takes as long to verify. */
export function decoyHash(): string {
  return stored(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return stored(salt, await derive(password, salt, COST));
}

/** Verifies a password, taking equally long for wrong ones. */
export async function verifyPassword(password: string, wanted: string): Promise<boolean> {
  const [, N, r, p, salt = '', expected = ''] = STORED.exec(wanted) ?? [];
  if (p === undefined) return false;
  const hash = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  const expectedHash = Buffer.from(expected, 'base64url');
  return hash.length === expectedHash.length && timingSafeEqual(hash, expectedHash);
}

function stored(salt: Buffer, hash: Buffer): string {
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Normalizes by NFKC, as keyboards type different Unicode forms. */
function derive(password: string, salt: Buffer, cost: { N: number; r: number; p: number }): Promise<Buffer> {
  const maxmem = 256 * cost.N * cost.r;
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, { ...cost, maxmem }, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}
