import { useLayoutEffect, useRef } from 'preact/hooks';
import { session } from './session.ts';

/** A list as it was left. */
interface Left {
  /** What it showed. */
  readonly data: unknown;
  /** The first row that was seen; null: the list was at its top, or its rows are no links. */
  readonly row: Row | null;
  readonly scrolled: number;
}

/** `top`: how far below the top of the screen. */
interface Row {
  readonly href: string;
  readonly top: number;
}

/** So many are remembered, the last ones. */
const MOST = 10;
const lists = new Map<string, Left>();

// Nothing of one person is to be there for the next.
session.state.listen(() => {
  if (session.state.value.kind === 'out') lists.clear();
});

/** Returns what a list showed when it was left; null: it was not, or long ago. `key`: its address and its name there. */
export function listLeft<T>(key: string): T | null {
  return (lists.get(key)?.data as T | undefined) ?? null;
}

/**
 * Remembers a list when its component goes, with its place. `isReturning`: once its rows are on the page, it is scrolled
 * to where it was left.
 */
export function useListPlace(key: string, shown: { readonly current: unknown }, isReturning: boolean): void {
  const current = useRef(key);
  current.current = key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is shown, and once it is left
  useLayoutEffect(() => {
    // The browser would scroll before the rows are there.
    history.scrollRestoration = 'manual';
    const left = isReturning ? lists.get(key) : undefined;
    // What leads to a page scrolls it to its top in the same step.
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

/** What comes above the rows in the next frames moves them. */
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

/** What scrolls the rows: on a wide screen the inbox has a place of its own. */
function scroller(): Element {
  return document.querySelector('.split-list') ?? document.documentElement;
}

function rows(): readonly Element[] {
  return [...document.querySelectorAll('main :is(.event-title, .line-name)[href]')];
}
