import { hash, timingSafeEqual } from 'node:crypto';
import { randomCrockford, toCrockford } from './crockford.ts';

/**
 * An API key reads `pctl_<id>_<secret>`: 12 characters of public id, 32 of secret (160 random bits), 4 of checksum. The
 * checksum is the first 20 bits of the SHA-256 of all that stands before it, so that a mistyped key is refused without
 * a look-up, and a secret scanner can tell a key from a likeness.
 */
export interface NewApiKey {
  readonly id: string;
  /** SHA-256 of the secret, hex: what is stored. */
  readonly secretHash: string;
  /** The whole key. Shown once, never stored. */
  readonly text: string;
}

const PREFIX = 'pctl';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 4;
const SHAPE = /^pctl_([0-9a-hjkmnp-tv-z]{12})_([0-9a-hjkmnp-tv-z]{32})([0-9a-hjkmnp-tv-z]{4})$/;

/** `random` gives that many random bytes: `crypto.randomBytes`, but in tests. */
export function createApiKey(random: (bytes: number) => Uint8Array): NewApiKey {
  const id = randomCrockford(ID_LENGTH, random);
  const secret = randomCrockford(SECRET_LENGTH, random);
  const unchecked = `${PREFIX}_${id}_${secret}`;
  return { id, secretHash: hash('sha256', secret), text: unchecked + checksum(unchecked) };
}

/** The id and the hash of the secret (hex), or null where the text is no key. It may still be unknown or wrong. */
export function parseApiKey(text: string): { readonly id: string; readonly secretHash: string } | null {
  const [, id, secret, check] = SHAPE.exec(text) ?? [];
  if (id === undefined || secret === undefined || check !== checksum(text.slice(0, -CHECKSUM_LENGTH))) return null;
  return { id, secretHash: hash('sha256', secret) };
}

/** Whether a text has the form of an API key, valid or not. */
export function looksLikeApiKey(text: string): boolean {
  return text.startsWith(`${PREFIX}_`);
}

/** Compares two hashes (hex) in constant time. */
export function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function checksum(text: string): string {
  return toCrockford(hash('sha256', text).slice(0, 5), CHECKSUM_LENGTH);
}
