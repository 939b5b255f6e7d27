import { useRef } from 'preact/hooks';
import type { Kind } from './changes.ts';
import type { Answer, Problem } from './problem.ts';
import { useChange } from './use-change.ts';
import { type Reloaded, useLoad } from './use-load.ts';

/** A list that comes page by page: what is there of it so far. */
export interface Pages<Page, Row> {
  /** The first page, for what stands beside its rows; null: it is on its way. */
  readonly first: Page | null;
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly problem: Problem | null;
  reload(): Promise<void>;
  more(): Promise<void>;
}

/**
 * `load` takes where the page begins, undefined for the first. It is asked anew whenever `key` changes, and when something
 * of these kinds has, unless the user reads further down: what they read must not move away.
 */
export function usePages<Page extends { readonly next: string | null }, Row>(
  key: string,
  load: (from: string | undefined) => Promise<Answer<Page>>,
  rowsOf: (page: Page) => readonly Row[],
  kinds: readonly Kind[],
): Pages<Page, Row> {
  const loadingMore = useChange();
  const shown = useRef<readonly Page[]>([]);
  const isFurtherDown = (pages: readonly Page[] | null): pages is readonly Page[] => (pages?.length ?? 0) > 1;
  const first = async (): Promise<Answer<Reloaded<readonly Page[]>>> => {
    if (isFurtherDown(shown.current)) return { ok: true, data: (pages) => pages ?? [] };
    const answer = await load(undefined);
    return answer.ok ? { ok: true, data: (pages) => (isFurtherDown(pages) ? pages : [answer.data]) } : answer;
  };
  const { data, problem, reload, patch } = useLoad<readonly Page[]>(key, first, kinds);
  shown.current = data ?? [];
  const next = data?.at(-1)?.next ?? null;
  const more = async (): Promise<void> => {
    if (next === null) return;
    const loaded = await loadingMore.make(() => load(next));
    // Unless it was loaded anew meanwhile.
    if (loaded) patch((before) => (before.at(-1)?.next === next ? [...before, loaded.data] : before));
  };
  return {
    first: data?.[0] ?? null,
    rows: data?.flatMap(rowsOf) ?? [],
    hasMore: next !== null,
    isLoadingMore: loadingMore.isWorking,
    problem: problem ?? loadingMore.problem,
    reload,
    more,
  };
}
