/** The words of a query, in the form in which texts are compared; none where nothing is looked for. */
export function wordsOf(query = ''): readonly string[] {
  const words = new Set(folded(query).split(/\s+/));
  return [...words].filter((word) => word !== '');
}

/**
 * Whether an event's title and description together hold all of these words, whatever their case and form: words may be
 * parts of longer ones.
 */
export function holdsWords(
  words: readonly string[],
): (event: { title: string; description: string | null }) => boolean {
  if (words.length === 0) return () => true;
  return ({ title, description }) => {
    const text = folded(`${title}\n${description ?? ''}`);
    return words.every((word) => text.includes(word));
  };
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
