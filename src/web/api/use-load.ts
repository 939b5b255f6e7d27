import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { listLeft, useListPlace } from '../list-place.ts';
import { Shared, useShared } from '../shared.ts';
import { changes, type Kind } from './changes.ts';
import { connection } from './connection.ts';
import type { Answer, Problem } from './problem.ts';
import { useChange } from './use-change.ts';

/** A page's data and loading state. `data` outlasts a failed reload. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly problem: Problem | null;
  reload(): Promise<void>;
  /** Changes the shown data without the server. */
  patch(change: (data: T) => T): void;
}

/** The loaded data, or a function that merges it into the shown data, which may have grown. */
type Reloaded<T> = T | ((shown: T | null) => T);

/**
 * Loads a page's data. Reloads when `key` changes, the connection is back, or these kinds changed. Drops answers to
 * older keys or overtaken by newer ones. `before`: shown until the first answer.
 */
export function useLoad<T>(
  key: string,
  load: () => Promise<Answer<Reloaded<T>>>,
  kinds: readonly Kind[] = [],
  before: T | null = null,
): Loaded<T> {
  const [state, setState] = useState<State<T>>({ key, data: before, problem: null });
  const current = useRef({ key, load });
  current.current = { key, load };
  const numbers = useRef({ asked: 0, shown: 0 });
  const reload = async (): Promise<void> => {
    const asked = current.current;
    numbers.current.asked += 1;
    const number = numbers.current.asked;
    const answer = await asked.load();
    if (current.current.key !== asked.key || number < numbers.current.shown) return;
    numbers.current.shown = number;
    setState((before) => {
      const shown = dataOf(before, asked.key);
      const data = answer.ok ? reloaded(answer.data, shown) : shown;
      return { key: asked.key, data, problem: answer.ok ? null : answer.problem };
    });
  };
  const patch = (change: (data: T) => T): void => {
    setState((before) => (before.data === null ? before : { ...before, data: change(before.data) }));
  };
  const restored = useShared(connection.restored);
  // biome-ignore lint/correctness/useExhaustiveDependencies: these two say when, the rest is always the latest
  useEffect(() => void reload(), [key, restored]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: which kinds they are does not change
  useEffect(() => changes.listen((kind) => void (isOneOf(kind, kinds) && reload())), []);
  const isCurrent = state.key === key;
  return { data: dataOf(state, key), problem: isCurrent ? state.problem : null, reload, patch };
}

/** A gap in live updates counts as any change. */
function isOneOf(kind: Kind, kinds: readonly Kind[]): boolean {
  return kinds.includes(kind) || (kind === 'everything' && kinds.length > 0);
}

interface State<T> {
  readonly key: string;
  readonly data: T | null;
  readonly problem: Problem | null;
}

function reloaded<T>(loaded: Reloaded<T>, shown: T | null): T {
  return loaded instanceof Function ? loaded(shown) : loaded;
}

function dataOf<T>(state: State<T>, key: string): T | null {
  return state.key === key ? state.data : null;
}

/** Returns the previous result until the new one, or a problem, is there. */
export function useLast<T>({ data, problem }: Pick<Loaded<T>, 'data' | 'problem'>): T | null {
  const last = useRef<T | null>(null);
  last.current = data ?? (problem === null ? last.current : null);
  return last.current;
}

/** The last answer to a request that several pages show; null: not yet known. */
type Kept<T> = Shared<Pick<Loaded<T>, 'data' | 'problem' | 'reload'> | null>;

export function kept<T>(): Kept<T> {
  return new Shared<Kept<T>['value']>(null);
}

/** Keeps a shared answer current while signed in. It outlasts pages, so a page that is left finds it on the return. */
export function useKept<T>(shared: Kept<T>, load: () => Promise<Answer<T>>, kinds: readonly Kind[]): void {
  const { data, problem, reload } = useLoad('kept', load, kinds);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `reload` does the same each time
  useEffect(() => {
    shared.value = data === null && problem === null ? null : { data, problem, reload };
  }, [data, problem]);
  // Hides everything from the next person.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is always the same
  useEffect(() => () => forget(shared), []);
}

function forget<T>(shared: Kept<T>): void {
  shared.value = null;
}

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
