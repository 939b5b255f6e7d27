/** Plain text, or a link with its position. */
type Piece = string | { readonly text: string; readonly href: string; readonly at: number };

/** Web and mail addresses as people write them. */
const ADDRESS = /https?:\/\/[^\s<>"]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/giu;
/** Punctuation after an address that belongs to the sentence around. */
const AFTER = /[.,;:!?'’”»،؛؟。、」]+$/u;

/**
 * Returns the text with http, https and mail links. Web addresses with a user are no links:
 * `https://bank@evil.example/` looks like the bank's.
 */
export function linkedPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutRest(found);
    const href = hrefOf(address);
    if (href === null) continue;
    if (index > from) pieces.push(text.slice(from, index));
    pieces.push({ text: address, href, at: index });
    from = index + address.length;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

/** Drops sentence ends and brackets opened before the address: `(see https://example.com)`. */
function withoutRest(found: string): string {
  const address = found.replace(AFTER, '');
  const isUnopened = address.endsWith(')') && !address.includes('(');
  return isUnopened ? withoutRest(address.slice(0, -1)) : address;
}

function hrefOf(address: string): string | null {
  const href = /^https?:/i.test(address) ? address : `mailto:${address}`;
  if (!URL.canParse(href)) return null;
  const { username, password } = new URL(href);
  return username === '' && password === '' ? href : null;
}
