import type { AppPage } from './app-page.ts';

/** Opens the menu of a row, which its label names, and clicks a button of it. */
export async function fromMenu({ click, page }: AppPage, name: string, button: string): Promise<void> {
  await page.locator(`summary[aria-label="More for ${name}"]`).click();
  await click(button);
}
