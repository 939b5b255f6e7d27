import { useEffect, useState } from 'preact/hooks';
import { useShared } from '../shared.ts';
import { bannerHeight } from '../shell/banners.tsx';

/** Earlier taps after a change were aimed at the previous contents. */
const SETTLES_MS = 700;

/**
 * Tells whether the user had time to see `shown` and any move by a banner. Their own changes are passed to `expect`.
 * Applies to taps, clicks and keys.
 */
export function useSettled(shown: string): { readonly isSettled: boolean; expect(shown: string): void } {
  const height = useShared(bannerHeight);
  const now = `${shown} ${height}`;
  const [seen, setSeen] = useState(now);
  useEffect(() => {
    if (seen === now) return;
    const timer = setTimeout(() => setSeen(now), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [seen, now]);
  return { isSettled: seen === now, expect: (next) => setSeen(`${next} ${height}`) };
}
