import { hash } from 'node:crypto';

/** A secret token reads `<prefix><secret>`: 256 random bits, 43 base64url characters. Only the SHA-256 is stored. */
interface SecretToken {
  /** The whole token. Shown once, never stored. */
  readonly text: string;
  /** SHA-256 of the whole token, hex. */
  readonly tokenHash: string;
}

interface SecretTokens {
  /** `random` returns that many bytes: `crypto.randomBytes`, except in tests. */
  create(random: (bytes: number) => Uint8Array): SecretToken;
  /** Returns a token's hash (hex); null: no such token. */
  parse(text: string): string | null;
}

const SECRET_BYTES = 32;

export function secretTokens(prefix: string): SecretTokens {
  // The last character carries four bits; we issue only zero spare bits.
  const shape = new RegExp(`^${prefix}[\\w-]{42}[AEIMQUYcgkosw048]$`);
  const hashOf = (text: string) => hash('sha256', text);

  return {
    create(random) {
      const text = `${prefix}${Buffer.from(random(SECRET_BYTES)).toString('base64url')}`;
      return { text, tokenHash: hashOf(text) };
    },
    parse: (text) => (shape.test(text) ? hashOf(text) : null),
  };
}

const PREFIX = 'pses_';

export const { create: createSessionToken, parse: parseSessionToken } = secretTokens(PREFIX);

/**
 * The token's cookie, hidden from scripts. The prefix requires HTTPS or loopback, and keeps other hosts from setting it
 * (https://httpwg.org/http-extensions/draft-ietf-httpbis-rfc6265bis.html#name-the-__host-prefix).
 */
export const SESSION_COOKIE = '__Host-pushctl';

/** A session expires after this time unused. */
export const SESSION_LIFE_MS = 90 * 86_400_000;

export function isLikeSessionToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** A device token may only report shown pushes. */
export const { create: createDeviceToken, parse: parseDeviceToken } = secretTokens('pdev_');

/**
 * Prefixes of keys and tokens, and pairing codes, which are never all digits. `tk_` alone is too short, so the id (12
 * characters) and the secret must follow.
 */
const KEY_OR_TOKEN = /pctl_|pses_|pdev_|pcal_|gtfya\.|tk_[0-9a-z]{13}/i;
const PAIRING_CODE = /^(?!\d+$)[0-9a-tv-z]{5}-?[0-9a-tv-z]{5}$/i;

export function isLikeSecret(text: string): boolean {
  return KEY_OR_TOKEN.test(text) || PAIRING_CODE.test(text);
}
