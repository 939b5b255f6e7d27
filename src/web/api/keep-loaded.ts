import { useEffect } from 'preact/hooks';
import { Shared } from '../shared.ts';
import type { Kind } from './changes.ts';
import type { Answer } from './problem.ts';
import { type Loaded, useLoad } from './use-load.ts';

/** The last answer to a request that several pages show; null: not yet known. */
export type Kept<T> = Shared<Pick<Loaded<T>, 'data' | 'problem' | 'reload'> | null>;

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
