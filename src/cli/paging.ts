import type { Refusal } from '../store/calls.ts';
import { unwrap } from './context.ts';

const PAGE = 500;

export const ALL = Number.POSITIVE_INFINITY;

/** A page has its entries under a name. `next`: the next page; null: none. */
type Page<Name extends string> = Readonly<Record<Name, readonly unknown[]>> & { readonly next: string | null };

/**
 * Yields at most `most` entries page by page, so no call blocks the store, no answer exceeds the socket, and printing
 * needs little memory.
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
