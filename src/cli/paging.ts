/** Entries that are asked for at a time. */
const PAGE = 500;

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null: this is the last. */
  readonly next: string | null;
}

/**
 * A list of at most `most` items, asked for page by page: no call blocks the server's store for long, no answer is too
 * long for the socket, and a caller that prints each page needs no memory for all of them.
 */
export async function* pagesOf<T>(
  most: number,
  ask: (limit: number, from: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<readonly T[]> {
  let from: string | undefined;
  for (let left = most; ; ) {
    const { items, next } = await ask(Math.min(PAGE, left), from);
    yield items;
    left -= items.length;
    if (next === null || left <= 0) return;
    from = next;
  }
}
