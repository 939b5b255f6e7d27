import { useKeys } from './use-keys.ts';

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
