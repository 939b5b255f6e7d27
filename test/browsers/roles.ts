import type { AppPage } from './app-page.ts';

/** On the page of members: of who has the role `from`, as the page names it. */
export async function giveRole({ click, submit, page }: AppPage, who: string, from: string, to: string): Promise<void> {
  await click(`${from}: the role of ${who}`);
  await page.locator(`dialog[open] [value="${to}"]`).click();
  await submit();
}
