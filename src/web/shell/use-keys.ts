import { useLayoutEffect, useRef } from 'preact/hooks';

/** A page's actions by key (`j`, `/`, `?`). */
export type Keys = Readonly<Record<string, () => void>>;

/** Handles keys while shown, except typing and the browser's combinations. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  // A layout effect also gets keys before the first paint.
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

/** Stored if shortcuts are off. */
const KEPT_AS = 'keys';

/** Tells whether single keys act. Users of voice control, or prone to mistakes, can switch them off. */
export function hasShortcuts(): boolean {
  return localStorage.getItem(KEPT_AS) === null;
}

export function switchKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, 'off');
}

/** Tells whether a key is a shortcut: not typed, no combination. */
export function isForPage(event: KeyboardEvent): boolean {
  return hasShortcuts() && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
}

/** Returns true in dialogs, too: the page behind must not move. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog[open]') !== null
  );
}
