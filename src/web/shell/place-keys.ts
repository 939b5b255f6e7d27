import { goTo } from './go-to.ts';
import { isForPage } from './use-keys.ts';

const PLACES: Readonly<Record<string, string>> = {
  i: '/',
  a: '/alerts',
  c: '/channels',
  d: '/devices',
  s: '/settings',
};
/** How long after `g` the next key counts. */
const WAITS_MS = 1_500;

/** `g` and then the letter of a place leads there. */
export function listenForPlaceKeys(): void {
  let beganAtMs = Number.NEGATIVE_INFINITY;
  const press = (event: KeyboardEvent): void => {
    if (!isForPage(event)) return;
    const place = event.timeStamp - beganAtMs < WAITS_MS ? PLACES[event.key] : undefined;
    beganAtMs = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    if (place === undefined) return;
    // By itself the letter does something else on some pages.
    event.stopImmediatePropagation();
    event.preventDefault();
    goTo(place);
  };
  addEventListener('keydown', press, true);
}
