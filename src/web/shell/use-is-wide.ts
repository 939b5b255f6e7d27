import { useEffect, useState } from 'preact/hooks';

/** As in the style of the two. */
const WIDE = matchMedia('(min-width: 1100px)');

/** Whether there is room for a list and what was chosen of it beside each other. */
export function useIsWide(): boolean {
  const [isWide, setWide] = useState(WIDE.matches);
  useEffect(() => {
    const update = (): void => setWide(WIDE.matches);
    WIDE.addEventListener('change', update);
    return () => WIDE.removeEventListener('change', update);
  }, []);
  return isWide;
}
