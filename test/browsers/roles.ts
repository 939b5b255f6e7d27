import type { AppPage } from './app-page.ts';
import { fromMenu } from './menus.ts';

/** On the page of members: of who has the role `from`, as the page names it. */
export async function giveRole(app: AppPage, who: string, from: string, to: string): Promise<void> {
  await fromMenu(app, who, `Change role of ${who}, now ${from}`);
  await app.page.locator(`dialog[open] [value="${to}"]`).click();
  await app.submit();
}
