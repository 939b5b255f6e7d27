import { hash } from 'node:crypto';

/**
 * A session token reads `pses_<secret>`: 256 random bits in base64url, 43 characters. Its holder is the person who
 * signed in; only its SHA-256 is stored.
 */
export interface SessionToken {
  /** The whole token. Shown once, never stored. */
  readonly text: string;
  /** SHA-256 of the whole token, hex. */
  readonly tokenHash: string;
}

/**
 * The cookie in which the web app's browser keeps the token, out of reach of scripts. By the prefix, browsers take it
 * over HTTPS and from loopback only, and no other host can set one for ours
 * (https://httpwg.org/http-extensions/draft-ietf-httpbis-rfc6265bis.html#name-the-__host-prefix).
 */
export const SESSION_COOKIE = '__Host-pushctl';

/** A session expires when it is not used for so long. */
export const SESSION_LIFE_MS = 90 * 86_400_000;

const SECRET_BYTES = 32;
/** The last character carries four bits: only those whose two spare bits are zero are what was given out. */
const SHAPE = /^pses_[\w-]{42}[AEIMQUYcgkosw048]$/;

/** `random` gives that many random bytes: `crypto.randomBytes`, but in tests. */
export function createSessionToken(random: (bytes: number) => Uint8Array): SessionToken {
  const text = `pses_${Buffer.from(random(SECRET_BYTES)).toString('base64url')}`;
  return { text, tokenHash: hash('sha256', text) };
}

/** Whether a text has the form of a session token, valid or not. */
export function isLikeSessionToken(text: string): boolean {
  return text.startsWith('pses_');
}

/** The hash (hex) by which a token is found, or null where the text is no session token. */
export function parseSessionToken(text: string): string | null {
  return SHAPE.test(text) ? hash('sha256', text) : null;
}
