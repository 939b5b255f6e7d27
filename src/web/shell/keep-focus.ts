/** The last focus on the page. */
interface Place {
  readonly element: Element;
  readonly list: Element | null;
  /** Its row's index in the list. */
  readonly nth: number;
}

const ROW = 'li, [role="listitem"]';
const FOCUSABLE = 'a[href], summary, button, input, select, textarea';
/** Pages and dialogs take the focus within this time. */
const PATIENCE_MS = 50;

let last: Place | null = null;

/**
 * Keeps the focus on the page: a removed element's goes to the row in its place, else the title. Otherwise keyboards
 * and screen readers start at the top.
 */
export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? placeOf(target) : null;
  });
  document.addEventListener('focusout', ({ target }) => {
    // The user has clicked beside the element.
    queueMicrotask(() => {
      if (isLost() && last?.element === target && last?.element.isConnected) last = null;
    });
  });
  new MutationObserver(() => {
    if (last !== null && !last.element.isConnected && isLost()) setTimeout(giveAgain, PATIENCE_MS);
  }).observe(document.body, { childList: true, subtree: true });
}

function giveAgain(): void {
  if (last === null || last.element.isConnected || !isLost()) return;
  const { list, nth } = last;
  const rows = list?.isConnected ? [...list.children].filter((row) => row.matches(ROW)) : [];
  const row = rows[Math.min(nth, rows.length - 1)];
  const title = document.querySelector<HTMLElement>('h1');
  (row?.querySelector<HTMLElement>(FOCUSABLE) ?? title)?.focus({ preventScroll: true });
}

function placeOf(element: Element): Place {
  const row = element.closest(ROW);
  const list = row?.parentElement ?? null;
  return { element, list, nth: row && list ? [...list.children].indexOf(row) : 0 };
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
