import { useRef } from 'preact/hooks';
import type { Loaded } from './use-load.ts';

/** Returns the previous result until the new one, or a problem, is there. */
export function useLast<T>({ data, problem }: Pick<Loaded<T>, 'data' | 'problem'>): T | null {
  const last = useRef<T | null>(null);
  last.current = data ?? (problem === null ? last.current : null);
  return last.current;
}
