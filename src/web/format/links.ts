/** A piece of a text: plain text, or a link and its position in the text. */
export type Piece = string | { readonly text: string; readonly href: string; readonly at: number };

/** Addresses of the web and of mail, in the form in which people write them into texts. */
const ADDRESS = /https?:\/\/[^\s<>"]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/giu;
/** Punctuation after an address, which belongs to the sentence or the quotation around it. */
const AFTER = /[.,;:!?'’”»،؛؟。、」]+$/u;

/**
 * Returns the text in order, with its http, https and mail addresses as links. An address of the web that names a user
 * is no link: `https://bank@evil.example/` begins like the bank's address.
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

/**
 * Drops the end of a sentence, and a closing bracket that was opened before the address: `(see https://example.com)`.
 */
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
