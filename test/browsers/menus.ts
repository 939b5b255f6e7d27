import type { AppPage } from './app-page.ts';

/** Whether nothing hides or cuts off the last button of the open menu. */
export const IS_MENU_IN_SIGHT = `(() => {
  const last = [...document.querySelectorAll('.row-menu[open] button')].at(-1);
  const { x, bottom, width } = last.getBoundingClientRect();
  return last.contains(document.elementFromPoint(x + width / 2, bottom - 2));
})()`;

/** Opens the menu of a row, which its label names, and clicks a button of it. */
export async function fromMenu({ click, page }: AppPage, name: string, button: string): Promise<void> {
  await page.locator(`summary[aria-label="More for ${name}"]`).click();
  await click(button);
}
