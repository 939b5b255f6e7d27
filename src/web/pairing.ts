import { Shared } from './shared.ts';

/** The result with which a sign-in provider sent the browser back: a code, or the reason why there is none. */
export type FromProvider =
  | { readonly kind: 'provided'; readonly code: string; readonly confirms: boolean }
  | { readonly kind: 'failed'; readonly why: string };

/** A link that signs a user in: `offered` until they click, `used` until they have seen whose account it is. */
type Pairing = { readonly kind: 'offered'; readonly code: string } | { readonly kind: 'used' } | FromProvider;

export const pairing = new Shared<Pairing | null>(null);

/**
 * Takes the code of a pairing link (`/#pair=CODE`) out of the address bar, so that it is in no history and no
 * screenshot. Keeps the code until the user clicks: a foreign link must not sign them in by itself.
 */
export function takePairingCode(): void {
  const taken = takenFrom(location.hash);
  if (taken === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  pairing.value = taken;
}

function takenFrom(hash: string): Pairing | null {
  const code = codeIn(hash);
  // The server accepts a code of this form only from the browser that began the sign-in.
  if (code?.startsWith('oidc-')) return { kind: 'provided', code, confirms: false };
  if (code !== null) return { kind: 'offered', code };
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const [proof, why] = [parts.get('confirm'), parts.get('sign-in')];
  if (proof !== null) return { kind: 'provided', code: proof, confirms: true };
  return why === null ? null : { kind: 'failed', why };
}

/** Forgets the link: its result was seen, or the user does not want it. */
export function dismissPairing(): void {
  pairing.value = null;
}

/** Returns the code in the fragment of an address; null: there is none. */
export function codeIn(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, '')).get('pair') || null;
}
