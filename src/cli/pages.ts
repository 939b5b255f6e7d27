/** Entries that are asked for at a time. */
export const PAGE = 500;

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null: this is the last. */
  readonly next: string | null;
}

/**
 * A list of at most `most` items, asked for page by page: no single call holds the server's store up, and no answer is
 * too long for its socket.
 */
export async function allPages<T>(
  most: number,
  ask: (limit: number, from: string | undefined) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let from: string | undefined;
  for (;;) {
    const { items, next } = await ask(Math.min(PAGE, most - all.length), from);
    all.push(...items);
    if (next === null || all.length >= most) return all;
    from = next;
  }
}
