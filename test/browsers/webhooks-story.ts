import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { assertForEverybody, tooWideAt } from './accessibility.ts';
import { openSignedIn } from './app-page.ts';
import { fromMenu, IS_MENU_IN_SIGHT } from './menus.ts';
import type { BrowserTest } from './story.ts';

const URL = 'https://name.invalid/hook';

/** Webhooks of a workspace, by those who manage it. */
export function webhooksStory(test: BrowserTest): void {
  test('A webhook is added in the app, its secret shown once, then tested, edited, rotated, disabled, enabled and deleted', async (parts, opened) => {
    const { team } = parts;
    const stored = async () => granted(await team.store.listWebhooks({ workspace: team.slug }));
    const secret = '[...document.querySelectorAll("dialog pre")].map(({ textContent }) => textContent).join()';
    const app = await openSignedIn(parts, opened);
    await app.show(`/w/${team.slug}/webhooks`);
    await app.sees('No webhooks yet');
    await app.click('Add webhook');
    await app.fill('url', 'https://user@name.invalid/');
    await app.submit();
    await app.sees('The url field');
    await app.fill('url', URL);
    await assertForEverybody(app.page, 'the dialog of a webhook');
    await app.submit();
    await app.sees('Save this secret now');
    const first = String(await app.page.evaluate(secret));
    assert.match(first, /^whsec_/);
    await app.click('I have saved it');
    const [added] = await stored();
    assert.equal([added?.url, added?.kinds.includes('event.settled')], [URL, false]);

    await fromMenu(app, URL, `Send a test to ${URL}`);
    await app.sees('The test message is on its way.');
    await fromMenu(app, URL, `Edit ${URL}`);
    await app.page.evaluate(`for (const box of document.querySelectorAll('dialog [name="kind"]')) {
      if (box.checked !== (box.value === 'alert.opened')) box.click();
    }`);
    await app.submit();
    await app.sees('The webhook is saved.');
    assert.equal((await stored())[0]?.kinds, ['alert.opened']);
    await fromMenu(app, URL, `Rotate the secret of ${URL}`);
    await app.submit();
    await app.sees('Save this secret now');
    assert.is.not(await app.page.evaluate(secret), first);
    await app.click('I have saved it');
    await fromMenu(app, URL, `Disable ${URL}`);
    await app.submit();
    await app.sees('The webhook is disabled.');
    await fromMenu(app, URL, `Enable ${URL}`);
    await app.sees('The webhook is enabled.');
    await assertForEverybody(app.page, 'webhooks');
    for (const width of [320, 1_000]) assert.equal(await tooWideAt(app.page, width), []);
    await app.page.$eval('.row-menu', (menu) => menu.toggleAttribute('open'));
    await app.page.waitForFunction(IS_MENU_IN_SIGHT);
    await app.page.$eval('.row-menu', (menu) => menu.toggleAttribute('open'));
    await fromMenu(app, URL, `Delete ${URL}`);
    await app.submit();
    await app.sees('No webhooks yet');
    assert.equal([await stored(), app.faults], [[], []]);
  });
}
