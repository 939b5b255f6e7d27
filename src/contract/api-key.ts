import { hash, timingSafeEqual } from 'node:crypto';
import { randomCrockford, toCrockford } from './public-id.ts';

/**
 * An API key reads `pctl_<id>_<secret>`: a public id (12 characters), a secret (32, 160 random bits), a checksum (4).
 * The checksum, the first 20 bits of the SHA-256 of all before it, rejects typos without a look-up and helps secret
 * scanners. Alternatives: `tk_<id><secret>` (Gatus requires ntfy's prefix) and `gtfya.<id><secret>` (Shoutrrr requires
 * Gotify's).
 */
interface NewApiKey {
  readonly id: string;
  /** SHA-256 of the secret (hex), as stored. */
  readonly secretHash: string;
  /** The whole key. Shown once, never stored. */
  readonly text: string;
}

const PREFIX = 'pctl';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 4;
const SHAPE =
  /^(?:pctl_([0-9a-hjkmnp-tv-z]{12})_|(?:tk_|gtfya\.)([0-9a-hjkmnp-tv-z]{12}))([0-9a-hjkmnp-tv-z]{32})([0-9a-hjkmnp-tv-z]{4})$/;
const LIKENESS = /^(?:pctl_|tk_|gtfya\.)/;

export type KeyForm = 'pctl_' | 'tk_' | 'gtfya.';

/** `random` returns that many bytes: `crypto.randomBytes`, except in tests. */
export function createApiKey(random: (bytes: number) => Uint8Array): NewApiKey {
  const id = randomCrockford(ID_LENGTH, random);
  const secret = randomCrockford(SECRET_LENGTH, random);
  const unchecked = `${PREFIX}_${id}_${secret}`;
  return { id, secretHash: hash('sha256', secret), text: unchecked + checksum(unchecked) };
}

/** A key from a client, perhaps unknown or wrong. */
interface PresentedKey {
  readonly id: string;
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  /** The first form, whatever was written. */
  readonly text: string;
}

/** Parses a key of any form; null: none. */
export function parseApiKey(given: string): PresentedKey | null {
  const [, firstId, otherId, secret, check] = SHAPE.exec(given) ?? [];
  const id = firstId ?? otherId;
  if (id === undefined || secret === undefined) return null;
  const unchecked = `${PREFIX}_${id}_${secret}`;
  if (check !== checksum(unchecked)) return null;
  return { id, secretHash: hash('sha256', secret), text: unchecked + check };
}

export function inForm(form: KeyForm, text: string): string {
  const [, id = '', secret = ''] = text.split('_');
  return form === 'pctl_' ? text : `${form}${id}${secret}`;
}

/** Tells whether a text has a key's form, valid or not. */
export function isLikeApiKey(text: string): boolean {
  return LIKENESS.test(text);
}

/** Compares two hashes (hex) in constant time. */
export function isSameHash(first: string, second: string): boolean {
  return first.length === second.length && timingSafeEqual(Buffer.from(first), Buffer.from(second));
}

function checksum(text: string): string {
  return toCrockford(hash('sha256', text).slice(0, 5), CHECKSUM_LENGTH);
}
