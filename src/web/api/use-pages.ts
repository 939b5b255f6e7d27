import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { listLeft, useListPlace } from '../list-place.ts';
import type { Kind } from './changes.ts';
import type { Answer, Problem } from './problem.ts';
import { useChange } from './use-change.ts';
import { type Reloaded, useLast, useLoad } from './use-load.ts';

export interface Pages<Page, Row> {
  /** The first page, for data beside the rows; null: loading. */
  readonly first: Page | null;
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly problem: Problem | null;
  reload(): Promise<void>;
  more(): Promise<void>;
}

/** Things by name, or happenings, newest first. */
export type Order = 'names' | 'time';

/**
 * Loads a list page by page. `load` takes the page's start; undefined: the first. Reloads when `key` or these kinds
 * change. A list in time stays unmoved while the user reads further down. Browser Back restores rows and position.
 */
export function usePages<Page extends { readonly next: string | null }, Row>(
  key: string,
  load: (from: string | undefined) => Promise<Answer<Page>>,
  rowsOf: (page: Page) => readonly Row[],
  kinds: readonly Kind[],
  order: Order = 'time',
): Pages<Page, Row> {
  // The router sets this; its types lack it.
  const { path, wasPush } = useLocation() as ReturnType<typeof useLocation> & { readonly wasPush: boolean };
  // While another page loads, this one is shown at the other's address.
  const [address] = useState(path);
  const place = `${address} ${key}`;
  const [isBack] = useState(!wasPush);
  const [before] = useState(() => (isBack ? listLeft<readonly Page[]>(place) : null));
  const loadingMore = useChange();
  const shown = useRef<readonly Page[] | null>(before);
  const first = async (): Promise<Answer<Reloaded<readonly Page[]>>> => {
    const count = shown.current?.length ?? 1;
    if (order === 'time' && count > 1) return { ok: true, data: (pages) => pages ?? [] };
    const answer = await pagesAgain(load, count);
    // More pages may have come meanwhile.
    return answer.ok ? { ok: true, data: (pages) => (pages && pages.length > count ? pages : answer.data) } : answer;
  };
  const loaded = useLoad<readonly Page[]>(key, first, kinds, before);
  const { data, reload, patch } = loaded;
  shown.current = data;
  useListPlace(place, shown, isBack);
  const last = useLast(loaded);
  const next = data?.at(-1)?.next ?? null;
  const more = async (): Promise<void> => {
    if (next === null) return;
    const added = await loadingMore.make(() => load(next));
    // The list may have been reloaded meanwhile.
    if (added) patch((before) => (before.at(-1)?.next === next ? [...before, added.data] : before));
  };
  return {
    first: last?.[0] ?? null,
    rows: last?.flatMap(rowsOf) ?? [],
    hasMore: next !== null,
    isLoadingMore: loadingMore.isWorking,
    problem: loaded.problem ?? loadingMore.problem,
    reload,
    more,
  };
}

/** Loads the first `count` pages in turn, or fewer if the list has shrunk. */
async function pagesAgain<Page extends { readonly next: string | null }>(
  load: (from: string | undefined) => Promise<Answer<Page>>,
  count: number,
): Promise<Answer<readonly Page[]>> {
  const pages: Page[] = [];
  for (let from: string | null | undefined; from !== null && pages.length < Math.max(1, count); ) {
    const answer: Answer<Page> = await load(from);
    if (!answer.ok) return answer;
    pages.push(answer.data);
    from = answer.data.next;
  }
  return { ok: true, data: pages };
}
