import type { Awaitable } from '../sql.ts';

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
