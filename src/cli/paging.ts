import type { Refusal } from '../store/calls.ts';
import { unwrap } from './context.ts';

/** Entries that are asked for at a time. */
const PAGE = 500;

/** As many as there are. */
export const ALL = Number.POSITIVE_INFINITY;

/** The entries of a page stand under a name. `next`: where the next page begins; null: this is the last. */
type Page<Name extends string> = Readonly<Record<Name, readonly unknown[]>> & { readonly next: string | null };

/**
 * A list of at most `most` entries, asked for page by page: no call blocks the server's store for long, no answer is too
 * long for the socket, and a caller that prints each page needs no memory for all of them.
 */
export async function* pagesOf<Name extends string, Answer extends Page<Name>>(
  name: Name,
  most: number,
  ask: (limit: number, from: string | undefined) => Promise<Answer | Refusal>,
): AsyncGenerator<Answer[Name]> {
  let from: string | undefined;
  for (let left = most; ; ) {
    const page = unwrap(await ask(Math.min(PAGE, left), from));
    yield page[name];
    left -= page[name].length;
    if (page.next === null || left <= 0) return;
    from = page.next;
  }
}
