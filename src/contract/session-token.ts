import { secretTokens } from './secret-token.ts';

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
