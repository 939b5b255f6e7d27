import { Shared } from './shared.ts';

/** A link that signs a user in: `offered` until they click, `used` until they have seen whose account it is. */
type Pairing = { readonly kind: 'offered'; readonly code: string } | { readonly kind: 'used' };

export const pairing = new Shared<Pairing | null>(null);

/**
 * Takes the code of a pairing link (`/#pair=CODE`) out of the address bar, so that it lands in no history and no picture
 * of the screen, and keeps it until the user clicks: a foreign link must not sign them in by itself.
 */
export function takePairingCode(): void {
  const code = codeIn(location.hash);
  if (code === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  pairing.value = { kind: 'offered', code };
}

/** The code in the fragment of an address; null: there is none. */
export function codeIn(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, '')).get('pair') || null;
}
