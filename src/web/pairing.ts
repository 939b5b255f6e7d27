import { Shared } from './shared.ts';

/** What the provider that one signs in by has sent the browser back with: a code, or why there is none. */
export type FromProvider =
  | { readonly kind: 'provided'; readonly code: string; readonly confirms: boolean }
  | { readonly kind: 'failed'; readonly why: string };

/** A link that signs a user in: `offered` until they click, `used` until they have seen whose account it is. */
type Pairing = { readonly kind: 'offered'; readonly code: string } | { readonly kind: 'used' } | FromProvider;

export const pairing = new Shared<Pairing | null>(null);

/**
 * Takes the code of a pairing link (`/#pair=CODE`) out of the address bar, so that it lands in no history and no picture
 * of the screen, and keeps it until the user clicks: a foreign link must not sign them in by itself.
 */
export function takePairingCode(): void {
  const taken = takenFrom(location.hash);
  if (taken === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  pairing.value = taken;
}

function takenFrom(hash: string): Pairing | null {
  const code = codeIn(hash);
  // The server takes a code of this form from the browser alone that began the sign-in.
  if (code?.startsWith('oidc-')) return { kind: 'provided', code, confirms: false };
  if (code !== null) return { kind: 'offered', code };
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const [proof, why] = [parts.get('confirm'), parts.get('sign-in')];
  if (proof !== null) return { kind: 'provided', code: proof, confirms: true };
  return why === null ? null : { kind: 'failed', why };
}

/** What it led to has been seen, or is not wanted. */
export function dismissPairing(): void {
  pairing.value = null;
}

/** The code in the fragment of an address; null: there is none. */
export function codeIn(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, '')).get('pair') || null;
}
