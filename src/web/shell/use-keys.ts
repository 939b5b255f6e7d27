import { useLayoutEffect, useRef } from 'preact/hooks';

/** The actions of a page by the name of the key (`j`, `/`, `?`). */
export type Keys = Readonly<Record<string, () => void>>;

/** Handles keys while the component is shown, except while the user types. Combinations are left to the browser. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  // A layout effect, so that keys pressed before the first paint count as well.
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

/** The browser stores this key if shortcuts are switched off. */
const KEPT_AS = 'keys';

/** Tells whether single keys act. People who speak to the browser, or hit keys by mistake, can switch them off. */
export function hasShortcuts(): boolean {
  return localStorage.getItem(KEPT_AS) === null;
}

export function switchKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, 'off');
}

/** Tells whether a key is a shortcut of the page: keys that are typed and combinations are not. */
export function isForPage(event: KeyboardEvent): boolean {
  return hasShortcuts() && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
}

/** Returns true in a dialog as well: the page behind it must not move. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog[open]') !== null
  );
}
