import { Shared } from './shared.ts';

/** The provider's result: a code, or why there is none. */
export type FromProvider =
  | { readonly kind: 'provided'; readonly code: string; readonly confirms: boolean }
  | { readonly kind: 'failed'; readonly why: string };

/** A sign-in link: `offered` until clicked, `used` until the account was seen. */
type Pairing = { readonly kind: 'offered'; readonly code: string } | { readonly kind: 'used' } | FromProvider;

export const pairing = new Shared<Pairing | null>(null);

/**
 * Takes a pairing link's code (`/#pair=CODE`) out of address bar, history and screenshots. Keeps it until a click:
 * foreign links must not sign in by themselves.
 */
export function takePairingCode(): void {
  const taken = takenFrom(location.hash);
  if (taken === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  pairing.value = taken;
}

function takenFrom(hash: string): Pairing | null {
  const code = codeIn(hash);
  // The server takes such a code only from the browser that began the sign-in.
  if (code?.startsWith('oidc-')) return { kind: 'provided', code, confirms: false };
  if (code !== null) return { kind: 'offered', code };
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const [proof, why] = [parts.get('confirm'), parts.get('sign-in')];
  if (proof !== null) return { kind: 'provided', code: proof, confirms: true };
  return why === null ? null : { kind: 'failed', why };
}

/** Forgets a seen or unwanted link. */
export function dismissPairing(): void {
  pairing.value = null;
}

/** Returns the code in a fragment; null: none. */
function codeIn(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, '')).get('pair') || null;
}
