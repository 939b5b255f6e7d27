import { useEffect, useState } from 'preact/hooks';
import { useShared } from '../shared.ts';
import { bannerHeight } from '../shell/banner-height.ts';

/** A tap that comes sooner after a change was aimed at what was shown before. */
const SETTLES_MS = 700;

/**
 * Says whether the user has had time to see `shown`, and that a banner has moved it. A change that they made themselves
 * is passed to `expect`. It counts for a tap, a click and a key alike.
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
