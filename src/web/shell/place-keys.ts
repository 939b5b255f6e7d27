import { goTo } from './go-to.ts';
import { isForPage } from './use-keys.ts';

const PLACES: Readonly<Record<string, string>> = {
  i: '/',
  a: '/alerts',
  c: '/channels',
  d: '/devices',
  s: '/settings',
};
/** The time after `g` within which the next key counts. */
const WAITS_MS = 1_500;

/** Makes `g`, then the letter of a place, lead there. */
export function listenForPlaceKeys(): void {
  let beganAtMs = Number.NEGATIVE_INFINITY;
  const press = (event: KeyboardEvent): void => {
    if (!isForPage(event)) return;
    const place = event.timeStamp - beganAtMs < WAITS_MS ? PLACES[event.key] : undefined;
    beganAtMs = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    if (place === undefined) return;
    // On some pages the letter alone does something else.
    event.stopImmediatePropagation();
    event.preventDefault();
    goTo(place);
  };
  addEventListener('keydown', press, true);
}
