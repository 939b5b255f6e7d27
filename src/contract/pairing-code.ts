import { hash } from 'node:crypto';
import { randomCrockford } from './public-id.ts';

/**
 * A code that signs in a phone once. Ten characters (50 random bits) are typable, and enough for 15 minutes behind a
 * rate limit. Only the SHA-256 is stored.
 */
interface PairingCode {
  /** The shown form: `7K3QF-X9M2T`. */
  readonly text: string;
  /** SHA-256 of the canonical form, hex. */
  readonly hash: string;
}

export const PAIRING_CODE_LIFE_MS = 15 * 60_000;
/** Longer for the first owner: the server may not run yet. */
export const FIRST_PAIRING_CODE_LIFE_MS = 60 * 60_000;
/** Life of a code for a person's own further device, at hand. */
export const OWN_PAIRING_CODE_LIFE_MS = 2 * 60_000;
const LENGTH = 10;
const GROUP = 5;

export function createPairingCode(): PairingCode {
  const code = randomCrockford(LENGTH);
  const text = `${code.slice(0, GROUP)}-${code.slice(GROUP)}`.toUpperCase();
  return { text, hash: hash('sha256', code) };
}

/** Returns the hash (hex), ignoring case, blanks, hyphens and common misreadings. */
export function pairingCodeHash(typed: string): string | null {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return /^[0-9a-hjkmnp-tv-z]{10}$/.test(code) ? hash('sha256', code) : null;
}

/** Returns a link to an operator's app, which posts the code to `{server}/v1/session`. For use without the web app. */
export function pairingLink(baseUrl: string, code: string): string {
  return `pushctl://pair?${new URLSearchParams({ server: baseUrl, code })}`;
}

/** Returns where a provider's sign-in ends: with a code to sign in (`pair`) or confirm, or a failure's reason. */
export function oidcReturn(what: 'pair' | 'confirm' | 'sign-in', text: string): string {
  return `/#${what}=${text}`;
}

/** Returns the sign-in page with the code in the fragment, unseen by servers, logs and other pages. */
export function pairingPage(baseUrl: string, code: string): string {
  return `${baseUrl.replace(/\/api$/, '')}/#pair=${code}`;
}
