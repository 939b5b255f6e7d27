import { hash } from 'node:crypto';

/** A session token reads `pses_<secret>`: 256 random bits, 43 characters of base64url. Only the SHA-256 is stored. */
export interface SessionToken {
  /** The whole token. Shown once, never stored. */
  readonly text: string;
  /** SHA-256 of the whole token, hex. */
  readonly tokenHash: string;
}

/**
 * The token's cookie, out of reach of scripts. The prefix requires HTTPS or loopback, and stops other hosts from
 * setting it (https://httpwg.org/http-extensions/draft-ietf-httpbis-rfc6265bis.html#name-the-__host-prefix).
 */
export const SESSION_COOKIE = '__Host-pushctl';

/** A session expires after this time unused. */
export const SESSION_LIFE_MS = 90 * 86_400_000;

const SECRET_BYTES = 32;
/** The last character carries four bits; we issue only zero spare bits. */
const SHAPE = /^pses_[\w-]{42}[AEIMQUYcgkosw048]$/;

/** `random` returns that many bytes: `crypto.randomBytes`, except in tests. */
export function createSessionToken(random: (bytes: number) => Uint8Array): SessionToken {
  const text = `pses_${Buffer.from(random(SECRET_BYTES)).toString('base64url')}`;
  return { text, tokenHash: hash('sha256', text) };
}

/** Tells whether a text has a session token's form. */
export function isLikeSessionToken(text: string): boolean {
  return text.startsWith('pses_');
}

/** Returns a token's hash (hex), or null. */
export function parseSessionToken(text: string): string | null {
  return SHAPE.test(text) ? hash('sha256', text) : null;
}
