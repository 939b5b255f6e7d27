/** What people paste: one address a line, or with commas, semicolons or blanks between, `Ada <ada@example.com>` too. */
const BETWEEN = /[\s,;]+/u;
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/u;

/** The addresses of a text, each once, and what in it is none. */
export function addressesIn(text: string): { readonly emails: readonly string[]; readonly others: readonly string[] } {
  const named = text.replaceAll(/^[^<>\n,;]*<([^<>\s]+)>/gmu, '$1');
  const words = [...new Set(named.split(BETWEEN).filter((word) => word !== ''))];
  return {
    emails: [...new Set(words.filter((word) => ADDRESS.test(word)).map((word) => word.toLowerCase()))],
    others: words.filter((word) => !ADDRESS.test(word)),
  };
}
