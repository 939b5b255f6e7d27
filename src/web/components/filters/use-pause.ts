import { useRef } from 'preact/hooks';

/** Queries wait for a pause in typing. */
const PAUSE_MS = 200;

/** Returns a function that acts after a pause in calls. */
export function usePause(): (act: () => void) => void {
  const timer = useRef(0);
  return (act) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(act, PAUSE_MS);
  };
}
