import { type Awaitable, ifGiven } from '../sql.ts';

/** Bounds a page: entries plus items of inner lists. */
const MOST = 2_000;

interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

/**
 * Returns the first rows as entries: at most `limit`, fewer if they are large, but at least one if there is one. Reads
 * no part of the rows that it does not take.
 */
export async function pageOf<Row, Entry>(
  parts: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>,
  shown: (row: Row) => Awaitable<Entry>,
  countIn: (entry: Entry) => number,
  limit: number = MOST,
): Promise<Page<Entry>> {
  const entries: Entry[] = [];
  let held = 0;
  for await (const rows of parts) {
    for (const row of rows) {
      if (entries.length === limit || held >= MOST) return { entries, hasMore: true };
      const entry = await shown(row);
      entries.push(entry);
      held += 1 + countIn(entry);
    }
  }
  return { entries, hasMore: false };
}

/** Returns the `LIKE … ESCAPE '~'` pattern of names holding this text; null: no text. */
export function searchPattern(text: string | undefined): string | null {
  return text === undefined ? null : `%${text.trim().replaceAll(/[%_~]/g, '~$&')}%`;
}

/** SQL: whether a column matches :pattern in any case. A null pattern matches all. */
export function isLike(...columns: readonly string[]): string {
  const likes = columns.map((column) => `lower(${column}) LIKE lower(:pattern) ESCAPE '~'`);
  return ifGiven('pattern', likes.join(' OR '));
}
