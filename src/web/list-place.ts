import { useLayoutEffect, useRef } from 'preact/hooks';
import { session } from './session.ts';

/** The state of a list when the user left it. */
interface Left {
  /** The data that the list showed. */
  readonly data: unknown;
  /** The first visible row; null: the list was at its top, or its rows are no links. */
  readonly row: Row | null;
  readonly scrolled: number;
}

/** `top`: the distance from the top of the screen. */
interface Row {
  readonly href: string;
  readonly top: number;
}

/** The number of lists that are remembered, the latest ones. */
const MOST = 10;
const lists = new Map<string, Left>();

// The next person must not see the lists of this person.
session.state.listen(() => {
  if (session.state.value.kind === 'out') lists.clear();
});

/**
 * Returns what a list showed when the user left it; null: it was not remembered. `key`: its address and its name there.
 */
export function listLeft<T>(key: string): T | null {
  return (lists.get(key)?.data as T | undefined) ?? null;
}

/**
 * Remembers a list and its position when its component is removed. `isReturning`: scrolls back to that position once
 * the rows are on the page.
 */
export function useListPlace(key: string, shown: { readonly current: unknown }, isReturning: boolean): void {
  const current = useRef(key);
  current.current = key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is shown, and once it is left
  useLayoutEffect(() => {
    // The browser would scroll before the rows are there.
    history.scrollRestoration = 'manual';
    const left = isReturning ? lists.get(key) : undefined;
    // A navigation scrolls the page to its top in the same step, so this waits for the end of that step.
    if (left !== undefined) queueMicrotask(() => placeAgain(left, FRAMES));
    return () => {
      history.scrollRestoration = 'auto';
      leave(current.current, shown.current);
    };
  }, []);
}

function leave(key: string, data: unknown): void {
  lists.delete(key);
  if (data === null) return;
  lists.set(key, { data, row: firstSeen(), scrolled: scroller().scrollTop });
  for (const oldest of [...lists.keys()].slice(0, -MOST)) lists.delete(oldest);
}

/** The number of frames in which the scroll is repeated: contents that appear above the rows still move them. */
const FRAMES = 4;

function placeAgain(left: Left, frames: number): void {
  const { row } = left;
  const shown = row && rows().find((link) => link.getAttribute('href') === row.href);
  if (row && shown) scroller().scrollBy(0, shown.getBoundingClientRect().top - row.top);
  else scroller().scrollTo(0, row === null ? left.scrolled : 0);
  if (frames > 1) requestAnimationFrame(() => placeAgain(left, frames - 1));
}

function firstSeen(): Row | null {
  const shown = scroller().scrollTop > 0 ? rows().find((link) => link.getBoundingClientRect().top > 0) : undefined;
  const href = shown?.getAttribute('href');
  return shown && href ? { href, top: shown.getBoundingClientRect().top } : null;
}

/** Returns the element that scrolls the rows: on a wide screen the inbox scrolls by itself. */
function scroller(): Element {
  return document.querySelector('.split-list') ?? document.documentElement;
}

function rows(): readonly Element[] {
  return [...document.querySelectorAll('main :is(.event-title, .line-name)[href]')];
}
