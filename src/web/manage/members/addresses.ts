/** Separators of pasted text: lines, commas, semicolons or blanks. `Ada <ada@example.com>` works, too. */
const BETWEEN = /[\s,;]+/u;
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/u;

/** Returns a text's distinct addresses, and the other words. */
export function addressesIn(text: string): { readonly emails: readonly string[]; readonly others: readonly string[] } {
  const named = text.replaceAll(/^[^<>\n,;]*<([^<>\s]+)>/gmu, '$1');
  const words = [...new Set(named.split(BETWEEN).filter((word) => word !== ''))];
  return {
    emails: [...new Set(words.filter((word) => ADDRESS.test(word)).map((word) => word.toLowerCase()))],
    others: words.filter((word) => !ADDRESS.test(word)),
  };
}
