/**
 * Whether an event's title and description together hold every word of a query, whatever their case and form: words
 * may be parts of longer ones.
 */
export function holdsWords(query: string): (event: { title: string; description: string | null }) => boolean {
  const words = folded(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  return ({ title, description }) => {
    const text = folded(`${title}\n${description ?? ''}`);
    return words.every((word) => text.includes(word));
  };
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
