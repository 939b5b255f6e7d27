import { useEffect, useRef, useState } from 'preact/hooks';
import { Shared, useShared } from '../shared.ts';
import { changes, type Kind } from './changes.ts';
import { connection } from './connection.ts';
import type { Answer, Problem } from './problem.ts';

/** A page's data and loading state. `data` outlasts a failed reload. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly problem: Problem | null;
  reload(): Promise<void>;
  /** Changes the shown data without the server. */
  patch(change: (data: T) => T): void;
}

/** The loaded data, or a function that merges it into the shown data, which may have grown. */
export type Reloaded<T> = T | ((shown: T | null) => T);

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
