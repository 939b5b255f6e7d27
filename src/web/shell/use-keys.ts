import { useEffect, useRef } from 'preact/hooks';

/** What a page does on a key, by the key's name (`j`, `/`, `?`). */
export type Keys = Readonly<Record<string, () => void>>;

/** Listens while the component is shown: not while the user types, nor for combinations, which are the browser's. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!isForPage(event)) return;
      const act = current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** Not while the user types, nor a combination. */
export function isForPage(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
}

/** Also in a dialog: what is behind it must not move. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog[open]') !== null
  );
}
