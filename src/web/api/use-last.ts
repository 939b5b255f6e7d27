import { useRef } from 'preact/hooks';
import type { Loaded } from './use-load.ts';

/** Returns what was found before until the new data is there. A problem takes its place. */
export function useLast<T>({ data, problem }: Pick<Loaded<T>, 'data' | 'problem'>): T | null {
  const last = useRef<T | null>(null);
  last.current = data ?? (problem === null ? last.current : null);
  return last.current;
}
