import { useLayoutEffect, useRef } from 'preact/hooks';
import { session } from './session.ts';

interface Left {
  /** The data that the list showed. */
  readonly data: unknown;
  /** The first visible row; null: at the top, or rows without links. */
  readonly row: Row | null;
  readonly scrolled: number;
}

/** `top`: from the screen's top. */
interface Row {
  readonly href: string;
  readonly top: number;
}

/** The number of remembered lists, latest first. */
const MOST = 10;
const lists = new Map<string, Left>();

/** The last shown inbox's address, with filters, without server. */
let address = '/';
let isWanted = false;

// Hides everything from the next person.
session.state.listen(() => {
  if (session.state.value.kind !== 'out') return;
  lists.clear();
  address = '/';
});

/** Returns a list's contents as left; null: forgotten. `key`: its address and name. */
export function listLeft<T>(key: string): T | null {
  return (lists.get(key)?.data as T | undefined) ?? null;
}

/** Remembers a list and its position on removal. `isReturning`: scrolls back once rows are there. */
export function useListPlace(key: string, shown: { readonly current: unknown }, isReturning: boolean): void {
  const current = useRef(key);
  current.current = key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is shown, and once it is left
  useLayoutEffect(() => {
    // The browser would scroll before the rows exist.
    history.scrollRestoration = 'manual';
    const left = isReturning ? lists.get(key) : undefined;
    // A navigation scrolls to the top within this step, so this waits for its end.
    if (left !== undefined) queueMicrotask(() => placeAgain(left, FRAMES));
    return () => {
      history.scrollRestoration = 'auto';
      leave(current.current, shown.current);
    };
  }, []);
}

export function inboxIsAt(url: string): void {
  address = url;
}

/** Returns the address for ways back, with the filters beside an event. */
export function inboxAddress(): string {
  return address;
}

/** Reopens the inbox at the place left, like the browser's Back. */
export function wantPlace(): void {
  isWanted = true;
}

/** Returns whether that was wanted, once. */
export function isPlaceWanted(): boolean {
  const was = isWanted;
  isWanted = false;
  return was;
}

function leave(key: string, data: unknown): void {
  lists.delete(key);
  if (data === null) return;
  lists.set(key, { data, row: firstSeen(), scrolled: scroller().scrollTop });
  for (const oldest of [...lists.keys()].slice(0, -MOST)) lists.delete(oldest);
}

/** The number of frames that repeat the scroll, since contents above still move the rows. */
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

/** Returns the scrolling element: on wide screens, the inbox itself. */
function scroller(): Element {
  return document.querySelector('.split-list') ?? document.documentElement;
}

function rows(): readonly Element[] {
  return [...document.querySelectorAll('main :is(.event-title, .line-name)[href]')];
}
