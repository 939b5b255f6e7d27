import { useLayoutEffect, useRef } from 'preact/hooks';

/** What a page does on a key, by the key's name (`j`, `/`, `?`). */
export type Keys = Readonly<Record<string, () => void>>;

/** Listens while the component is shown: not while the user types, nor for combinations, which are the browser's. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  // At once: a key that is pressed before the browser has painted counts as well.
  useLayoutEffect(() => {
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

/** Kept by the browser, where they are switched off. */
const KEPT_AS = 'keys';

/** Whether single keys act: who speaks to the browser, or hits keys by mistake, has to be able to switch them off. */
export function areKeysOn(): boolean {
  return localStorage.getItem(KEPT_AS) === null;
}

export function switchKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, 'off');
}

/** Where single keys act: not while the user types, nor a combination. */
export function isForPage(event: KeyboardEvent): boolean {
  return areKeysOn() && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
}

/** Also in a dialog: what is behind it must not move. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog[open]') !== null
  );
}
