import { useKeys } from './use-keys.ts';

/** On a page that lists events: `j` and `k` lead to the next and the previous one. */
export function useEventKeys(): void {
  useKeys({ j: () => moveBy(1), k: () => moveBy(-1) });
}

/**
 * Moves the focus from the event that has it, else from the chosen one; where there is none, to the first that is seen.
 * Enter follows its link; where the event is shown beside the list, that is done at once.
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
