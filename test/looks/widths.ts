/** Sizes of two phones, a tablet, a laptop and a large screen, in px. */
const SCREENS = new Map([
  [320, 568],
  [390, 844],
  [768, 1024],
  [1200, 800],
  [1920, 1080],
]);
export const WIDTHS: readonly number[] = [...SCREENS.keys()];
/** From here on the navigation is a rail. */
const RAIL = 720;

export function screenOf(width: number): { readonly width: number; readonly height: number } {
  return { width, height: SCREENS.get(width) ?? 800 };
}

export function isPhone(width: number): boolean {
  return width < RAIL;
}
