import type { Inbox } from '../api/events.ts';
import { session } from '../session.ts';

/** The inbox as it was left. */
interface Left {
  /** Its address, without the server, with what it was filtered by. */
  readonly address: string;
  readonly page: Inbox;
  /** The first row that was seen, and how far below the top of the screen. */
  readonly row: { readonly href: string; readonly top: number } | null;
}

let left: Left | null = null;
let isWanted = false;

// Nothing of one person is to be there for the next.
session.state.listen(() => {
  if (session.state.value.kind === 'out') left = null;
});

/** To be called before its rows are gone. */
export function leaveInbox(address: string, page: Inbox | null): void {
  left = page === null ? null : { address, page, row: firstSeen() };
}

/** Where a way back leads. */
export function inboxAddress(): string {
  return left?.address ?? '/';
}

/** The next time that the inbox is shown it is at the place where it was left, as after the browser's own Back. */
export function wantPlace(): void {
  isWanted = true;
}

/** What was shown at this address; null: another one was left. */
export function pageLeftAt(address: string): Inbox | null {
  return left?.address === address ? left.page : null;
}

/** Scrolls there, once the rows are on the page. `isBack`: by the browser. */
export function returnToPlace(isBack: boolean): void {
  const returning = isBack || isWanted ? left : null;
  isWanted = false;
  if (returning === null) return;
  // What leads to a page scrolls it to its top in the same step.
  queueMicrotask(() => {
    const shown = rows().find((one) => one.getAttribute('href') === returning.row?.href);
    scrollBy(0, shown && returning.row ? shown.getBoundingClientRect().top - returning.row.top : -scrollY);
  });
}

function firstSeen(): Left['row'] {
  const shown = scrollY > 0 ? rows().find((one) => one.getBoundingClientRect().top > 0) : undefined;
  const href = shown?.getAttribute('href');
  return shown && href ? { href, top: shown.getBoundingClientRect().top } : null;
}

function rows(): readonly Element[] {
  return [...document.querySelectorAll('main .event-title')];
}
