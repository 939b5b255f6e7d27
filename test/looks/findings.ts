import type { Page } from 'puppeteer-core';

/** Looks at layout shifts from the start of each page on, other than those that a click or a resize makes. */
export const WATCH_SHIFTS = `globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (!hadRecentInput) shifts.push({ value, of: sources[0]?.node?.outerHTML?.slice(0, 60) ?? '' });
  }
}).observe({ type: 'layout-shift', buffered: true });`;

/** From here on a shift is felt, by the usual measure of browsers. */
const SHIFT = 0.1;
const PHONES = 720;

/** Returns the faults of a page with any contents: a line each. */
export async function findingsIn(page: Page): Promise<readonly string[]> {
  const { width = 0 } = page.viewport() ?? {};
  return [
    ...((await page.evaluate(WIDER)) as string[]),
    ...((await page.evaluate(CUT)) as string[]),
    ...(width < PHONES ? ((await page.evaluate(SMALL)) as string[]) : []),
  ];
}

/** The moved parts, led by the part that moved most, if all of it together is felt. */
export async function shiftIn(page: Page): Promise<readonly string[]> {
  const shifts = (await page.evaluate('shifts')) as { readonly value: number; readonly of: string }[];
  const shifted = shifts.reduce((sum, { value }) => sum + value, 0);
  const [most] = shifts.toSorted((a, b) => b.value - a.value);
  return shifted > SHIFT ? [`shift: ${shifted.toFixed(3)} ${most?.of}`] : [];
}

const NAMED = `const named = (element) => element.outerHTML.replace(/\\s+/g, ' ').slice(0, 90);`;

const WIDER = `(() => {
  ${NAMED}
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
    .slice(0, 2).map((element) => 'wide: ' + named(element));
})()`;

/** A text whose end is hidden, and cannot be had by pointing at it. */
const CUT = `(() => {
  ${NAMED}
  return [...document.querySelectorAll('body *')].filter((element) => {
    if (element.scrollWidth <= element.clientWidth + 1 || element.clientWidth < 2 || !element.checkVisibility()) return false;
    const { overflowX, textOverflow } = getComputedStyle(element);
    return (textOverflow === 'ellipsis' || overflowX === 'hidden' || overflowX === 'clip') &&
      element.closest('[title], .said') === null;
  }).slice(0, 3).map((element) => 'cut: ' + named(element));
})()`;

/**
 * Targets too small for a thumb: another thing is within 44 px around the middle. Links within a sentence are left
 * alone.
 */
const SMALL = `(() => {
  ${NAMED}
  const targets = 'a, button, summary, select, textarea, input:not([type="hidden"]), [role="button"]';
  const above = '.nav, .alert-actions, .dialog-actions, .tabs, .row-menu-list';
  const dialog = document.querySelector('dialog[open]');
  const near = (element, x, y) => {
    const hit = document.elementFromPoint(x, y);
    if (hit === null || hit.closest(above) !== element.closest(above)) return true;
    return hit === element || element.contains(hit) || hit.closest('label')?.control === element;
  };
  // Both ways from the middle, as a link that covers its row is not in the middle of it.
  const reach = (element, x, y, dx, dy) => {
    let px = 0;
    while (px < 43 && near(element, x + dx * (px + 1), y + dy * (px + 1))) px++;
    return px;
  };
  return [...(dialog ?? document).querySelectorAll(targets)].filter((element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    if (getComputedStyle(element).display === 'inline' && element.closest('p, dd, li, .hint') !== null) return false;
    const box = (element.closest('label') ?? element).getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    // One at the edge of what scrolls is scrolled to.
    const { top, bottom } = element.closest('.checks-many')?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
    if (box.width < 2 || y < top + 24 || y > bottom - 24 || !near(element, x, y)) return false;
    const high = reach(element, x, y, 0, -1) + reach(element, x, y, 0, 1) + 1;
    const wide = reach(element, x, y, -1, 0) + reach(element, x, y, 1, 0) + 1;
    return high < 44 || wide < 44;
  }).slice(0, 3).map((element) => 'small: ' + Math.round(element.getBoundingClientRect().width) + ' × ' + Math.round(element.getBoundingClientRect().height) + ' px ' + named(element));
})()`;
