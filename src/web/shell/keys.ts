import { useLayoutEffect, useRef } from 'preact/hooks';
import { goTo } from './own-links.ts';

/** A page's actions by key (`j`, `/`, `?`). */
type Keys = Readonly<Record<string, () => void>>;

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
function isForPage(event: KeyboardEvent): boolean {
  return hasShortcuts() && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
}

/** Returns true in dialogs, too: the page behind must not move. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog[open]') !== null
  );
}

/** Makes `j` and `k` lead to a list's next and previous event. */
export function useEventKeys(): void {
  useKeys({ j: () => moveBy(1), k: () => moveBy(-1) });
}

/**
 * Moves the focus from the focused, chosen or first visible event. Enter follows its link; beside the list, the event
 * shows at once.
 */
export function moveBy(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('.event-title')];
  const focused = links.indexOf(document.activeElement as HTMLElement);
  const at = focused < 0 ? links.findIndex((link) => link.hasAttribute('aria-current')) : focused;
  const seen = () => links.findIndex((link) => link.getBoundingClientRect().top >= 0);
  const link = links[at < 0 ? seen() : at + step];
  link?.focus();
  if (link?.closest('.split')) link.click();
}

const PLACES: Readonly<Record<string, string>> = {
  i: '/',
  a: '/alerts',
  c: '/channels',
  d: '/devices',
  s: '/settings',
};
/** The time for the key after `g`. */
const WAITS_MS = 1_500;

/** Makes `g` and a letter lead to a place. */
export function listenForPlaceKeys(): void {
  let beganAtMs = Number.NEGATIVE_INFINITY;
  const press = (event: KeyboardEvent): void => {
    if (!isForPage(event)) return;
    const place = event.timeStamp - beganAtMs < WAITS_MS ? PLACES[event.key] : undefined;
    beganAtMs = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    if (place === undefined) return;
    // Some pages use the letter alone.
    event.stopImmediatePropagation();
    event.preventDefault();
    goTo(place);
  };
  addEventListener('keydown', press, true);
}
