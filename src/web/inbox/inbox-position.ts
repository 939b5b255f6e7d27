import type { Inbox } from '../api/events.ts';
import { session } from '../session.ts';

/** The inbox as it was left. */
interface Left {
  /** Its address then. */
  readonly address: string;
  readonly page: Inbox;
  /** The first row that was seen. */
  readonly row: Row | null;
}

/** `top`: how far below the top of the screen. */
interface Row {
  readonly href: string;
  readonly top: number;
}

/** Of the inbox that was shown last, without the server, with what it was filtered by. */
let address = '/';
let left: Left | null = null;
let isWanted = false;

// Nothing of one person is to be there for the next.
session.state.listen(() => {
  if (session.state.value.kind !== 'out') return;
  left = null;
  address = '/';
});

/** To be called where it is shown at this address. */
export function inboxIsAt(url: string): void {
  address = url;
}

/** To be called before its rows are gone. */
export function leaveInbox(page: Inbox | null): void {
  left = page === null ? null : { address, page, row: firstSeen() };
}

/** Where a way back leads, and of what the list is that is shown beside an event. */
export function inboxAddress(): string {
  return address;
}

/** The next time that the inbox is shown it is at the place where it was left, as after the browser's own Back. */
export function wantPlace(): void {
  isWanted = true;
}

/** What was shown at the address that the inbox has now; null: another one was left. */
export function pageLeft(): Inbox | null {
  return left?.address === address ? left.page : null;
}

/** Scrolls there, once the rows are on the page. `isBack`: by the browser. */
export function returnToPlace(isBack: boolean): void {
  const returning = isBack || isWanted ? left : null;
  isWanted = false;
  if (returning === null) return;
  const { row } = returning;
  // What leads to a page scrolls it to its top in the same step.
  queueMicrotask(() => (row !== null && placed(row) ? placeAgain(row, FRAMES) : scroller().scrollTo(0, 0)));
}

/** What comes above the rows in the next frames moves them. */
const FRAMES = 4;

function placeAgain(row: Row, frames: number): void {
  requestAnimationFrame(() => {
    if (placed(row) && frames > 1) placeAgain(row, frames - 1);
  });
}

/** Scrolls the row to where it was; false: it is not there. */
function placed({ href, top }: Row): boolean {
  const shown = rows().find((one) => one.getAttribute('href') === href);
  if (shown !== undefined) scroller().scrollBy(0, shown.getBoundingClientRect().top - top);
  return shown !== undefined;
}

function firstSeen(): Left['row'] {
  const shown = scroller().scrollTop > 0 ? rows().find((one) => one.getBoundingClientRect().top > 0) : undefined;
  const href = shown?.getAttribute('href');
  return shown && href ? { href, top: shown.getBoundingClientRect().top } : null;
}

/** What scrolls the rows: on a wide screen the list has a place of its own. */
function scroller(): Element {
  return document.querySelector('.split-list') ?? document.documentElement;
}

function rows(): readonly Element[] {
  return [...document.querySelectorAll('main .event-title')];
}
