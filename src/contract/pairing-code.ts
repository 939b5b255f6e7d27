import { hash } from 'node:crypto';
import { randomCrockford } from './crockford.ts';

/**
 * A pairing code signs a person's phone in, once. Ten characters hold 50 random bits: enough for a code that lives for
 * 15 minutes behind a rate limit, and short enough to type. Only its SHA-256 is stored.
 */
export interface PairingCode {
  /** The shown form: `7K3QF-X9M2T`. */
  readonly text: string;
  /** SHA-256 of the canonical form, hex. */
  readonly hash: string;
}

export const PAIRING_CODE_LIFE_MS = 15 * 60_000;
/** Life of the first owner's code, made while the server may not even run. */
export const FIRST_PAIRING_CODE_LIFE_MS = 60 * 60_000;
/** Life of a code that a person makes for a further device of their own, which is at hand. */
export const OWN_PAIRING_CODE_LIFE_MS = 2 * 60_000;
const LENGTH = 10;
const GROUP = 5;

export function createPairingCode(): PairingCode {
  const code = randomCrockford(LENGTH);
  const text = `${code.slice(0, GROUP)}-${code.slice(GROUP)}`.toUpperCase();
  return { text, hash: hash('sha256', code) };
}

/** The hash (hex) of a code as a person typed it: case, blanks, hyphens and the usual misreadings do not matter. */
export function pairingCodeHash(typed: string): string | null {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return /^[0-9a-hjkmnp-tv-z]{10}$/.test(code) ? hash('sha256', code) : null;
}

/** Opens an operator's own app, which posts the code to `{server}/v1/session`: for where no web app is served. */
export function pairingLink(baseUrl: string, code: string): string {
  return `pushctl://pair?${new URLSearchParams({ server: baseUrl, code })}`;
}

/**
 * Returns the web app's address at which a sign-in by the provider ends: with a code to sign in (`pair`) or confirm, or
 * with the reason of a failure.
 */
export function oidcReturn(what: 'pair' | 'confirm' | 'sign-in', text: string): string {
  return `/#${what}=${text}`;
}

/** Opens the web app, which offers to sign in with the code: a fragment reaches no server, log or other page. */
export function pairingPage(baseUrl: string, code: string): string {
  return `${baseUrl.replace(/\/api$/, '')}/#pair=${code}`;
}
