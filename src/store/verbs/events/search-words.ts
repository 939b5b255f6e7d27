import { toTimestampOrNull } from '../../../timestamp.ts';

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

/** How far a page of a search came; nothing where none was asked for. */
export function searchedTo(
  query: string | undefined,
  { lookedToMs }: { readonly lookedToMs: number | null },
): { readonly searched_to?: string | null } {
  return query === undefined ? {} : { searched_to: toTimestampOrNull(lookedToMs) };
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
