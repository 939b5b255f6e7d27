import { useKeys } from './use-keys.ts';

/** On a page that lists events: `j` and `k` move the focus to the next and the previous one. Enter follows its link. */
export function useEventKeys(): void {
  useKeys({ j: () => move(1), k: () => move(-1) });
}

/** From the event that has the focus; where none has, to the first that is seen. */
function move(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('.event-title')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const seen = () => links.findIndex((link) => link.getBoundingClientRect().top >= 0);
  links[at < 0 ? seen() : at + by]?.focus();
}
