import { goTo } from './go-to.ts';
import { isForPage } from './use-keys.ts';

const PLACES: Readonly<Record<string, string>> = {
  i: '/',
  a: '/alerts',
  c: '/channels',
  d: '/devices',
  s: '/settings',
};
/** The time for the key after `g`. */
const WAITS_MS = 1_500;

/** Makes `g` and a letter lead to a place. */
export function listenForPlaceKeys(): void {
  let beganAtMs = Number.NEGATIVE_INFINITY;
  const press = (event: KeyboardEvent): void => {
    if (!isForPage(event)) return;
    const place = event.timeStamp - beganAtMs < WAITS_MS ? PLACES[event.key] : undefined;
    beganAtMs = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    if (place === undefined) return;
    // Some pages use the letter alone.
    event.stopImmediatePropagation();
    event.preventDefault();
    goTo(place);
  };
  addEventListener('keydown', press, true);
}
