import { hash, timingSafeEqual } from 'node:crypto';
import { randomCrockford, toCrockford } from './crockford.ts';

/**
 * An API key reads `pctl_<id>_<secret>`: 12 characters of public id, 32 of secret (160 random bits), 4 of checksum. The
 * checksum is the first 20 bits of the SHA-256 of all that stands before it, so that a mistyped key is refused without
 * a look-up, and a secret scanner can distinguish a key from a lookalike.
 *
 * The same key may be written `tk_<id><secret>` or `gtfya.<id><secret>`, for senders that take no other tokens: Gatus
 * wants ntfy's to begin with `tk_`, Shoutrrr wants Gotify's to begin with `gtfya.`.
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
const SHAPE =
  /^(?:pctl_([0-9a-hjkmnp-tv-z]{12})_|(?:tk_|gtfya\.)([0-9a-hjkmnp-tv-z]{12}))([0-9a-hjkmnp-tv-z]{32})([0-9a-hjkmnp-tv-z]{4})$/;
const LIKENESS = /^(?:pctl_|tk_|gtfya\.)/;

/** The prefixes of the ways to write a key. */
export type KeyForm = 'pctl_' | 'tk_' | 'gtfya.';

/** `random` gives that many random bytes: `crypto.randomBytes`, but in tests. */
export function createApiKey(random: (bytes: number) => Uint8Array): NewApiKey {
  const id = randomCrockford(ID_LENGTH, random);
  const secret = randomCrockford(SECRET_LENGTH, random);
  const unchecked = `${PREFIX}_${id}_${secret}`;
  return { id, secretHash: hash('sha256', secret), text: unchecked + checksum(unchecked) };
}

/** A key as a client sent it, which may still be unknown or wrong. */
export interface PresentedKey {
  readonly id: string;
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  /** In its first form, however it was written. */
  readonly text: string;
}

/** Reads a key in any of its forms; null where the text is none. */
export function parseApiKey(given: string): PresentedKey | null {
  const [, firstId, otherId, secret, check] = SHAPE.exec(given) ?? [];
  const id = firstId ?? otherId;
  if (id === undefined || secret === undefined) return null;
  const unchecked = `${PREFIX}_${id}_${secret}`;
  if (check !== checksum(unchecked)) return null;
  return { id, secretHash: hash('sha256', secret), text: unchecked + check };
}

/** Another way to write a key that was made here. */
export function inForm(form: KeyForm, text: string): string {
  const [, id = '', secret = ''] = text.split('_');
  return form === 'pctl_' ? text : `${form}${id}${secret}`;
}

/** Whether a text has the form of an API key, valid or not. */
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
