import { useEffect, useState } from 'preact/hooks';

/** Whoever presses sooner after a change has decided on what was there before. */
const SETTLES_MS = 700;

/**
 * Says whether the user has had time to see `shown`. A change that they made themselves is passed to `expect`. It counts for
 * a tap, a click and a key alike.
 */
export function useSettled(shown: string): { readonly isSettled: boolean; expect(shown: string): void } {
  const [seen, setSeen] = useState(shown);
  useEffect(() => {
    if (seen === shown) return;
    const timer = setTimeout(() => setSeen(shown), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [seen, shown]);
  return { isSettled: seen === shown, expect: setSeen };
}
