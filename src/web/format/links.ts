/** A piece of a text: as it is, or what leads elsewhere, and where in the text it begins. */
export type Piece = string | { readonly text: string; readonly href: string; readonly at: number };

/** Addresses of the web and of mail, as people write them into texts. */
const ADDRESS = /https?:\/\/[^\s<>"]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/giu;
/** What ends a sentence, or closes a quotation, belongs to the text around an address. */
const AFTER = /[.,;:!?'’”»،؛؟。、」]+$/u;

/**
 * The text in order, with the addresses in it as links: of http, https and mail alone. An address of the web with a user
 * in it is none: `https://bank@evil.example/` begins like that of the bank.
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

/** A bracket that was opened before the address is closed after it: `(see https://example.com)`. */
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
