import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { assertForEverybody, tooWideAt } from './accessibility.ts';
import { openSignedIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

const WIDTHS = [320, 1_280];

/** Rotas, from their form to a calendar. */
export function rotasStory(test: BrowserTest): void {
  test('An owner adds a rota after a look at its shifts, a member takes one, and the owner hands over, undoes, changes and deletes', async (parts, opened) => {
    const { server, team } = parts;
    granted(await team.store.addMember({ workspace: team.slug, email: team.bob, role: 'member' }));
    const ada = await openSignedIn(parts, opened);
    const address = `${server.url}/w/${team.slug}/on-call`;
    await ada.page.goto(address);
    await ada.sees('No rotas yet');
    await ada.clickText('Add a rota');
    await assertForEverybody(ada.page, 'the form of a rota');
    for (const width of WIDTHS) assert.equal(await tooWideAt(ada.page, width), []);
    await ada.fill('slug', 'payments');
    await ada.fill('name', 'Payments');
    await ada.fill('members', `${team.owner}\nnobody@example.com`);
    await ada.submit();
    await ada.sees('nobody@example.com');
    await ada.fill('members', `${team.owner}\n${team.bob}`);
    await ada.submit();
    await ada.sees('in the next 30 days:');
    await ada.submit();
    await ada.sees('Payments was added.');
    await ada.sees('Then bob.');
    await assertForEverybody(ada.page, 'the page of rotas');
    for (const width of WIDTHS) assert.equal(await tooWideAt(ada.page, width), []);

    const bob = await openSignedIn(parts, opened, team.bob);
    await bob.page.goto(`${server.url}/alerts`);
    await bob.sees('Payments: ');
    await bob.clickText('Payments: ');
    await bob.isAt('/on-call');
    await bob.page.locator('[aria-label^="Take this shift: ada"]').click();
    await bob.sees('You can choose a part of the shift.');
    await assertForEverybody(bob.page, 'the form of a shift');
    await bob.submit();
    await bob.sees('You are on call for Payments in that time.');
    await bob.sees('changed by bob');
    await bob.seesNo('Change the rota');
    assert.equal(
      granted(await team.store.listRotas({ workspace: team.slug })).map(({ slug, members }) => [slug, members]),
      [['payments', [team.owner, team.bob]]],
    );

    await ada.page.bringToFront();
    await ada.sees('changed by bob');
    await ada.page.locator('[aria-label^="Undo: bob"]').click();
    await ada.sees('The rota of Payments holds again.');
    await ada.page.locator('[aria-label^="Hand over: ada"]').click();
    await ada.fill('member', team.bob);
    await ada.submit();
    await ada.sees('bob is on call for Payments in that time.');
    await ada.page.locator('[aria-label="Change the rota: Payments"]').click();
    await ada.fill('members', team.bob);
    await ada.submit();
    await ada.sees('bob instead of ada');
    await ada.submit();
    await ada.sees('Payments was changed.');
    await ada.page.goto(`${server.url}/on-call`);
    await ada.sees('bob is on call');
    await ada.page.goto(address);
    await ada.page.locator('[aria-label="Delete the rota: Payments"]').click();
    await ada.submit();
    await ada.sees('Payments was deleted.');
    await ada.sees('No rotas yet');
    assert.equal([...ada.faults, ...bob.faults], []);
  });

  test('Programs read the address of a calendar without a session until the settings end it', async (parts, opened) => {
    const { server } = parts;
    const ada = await openSignedIn(parts, opened);
    await ada.page.goto(`${server.url}/settings`);
    await ada.clickText('Make an address');
    await ada.sees('Anyone who has it sees your shifts.');
    await assertForEverybody(ada.page, 'the settings with the address of a calendar');
    for (const width of WIDTHS) assert.equal(await tooWideAt(ada.page, width), []);
    const shown = await ada.page.$$eval('.command pre', (all) => all.map((pre) => pre.textContent ?? ''));
    const url = new URL(shown.find((text) => text.includes('/calendar/')) ?? 'about:blank');
    const read = () => fetch(server.url + url.pathname);
    assert.match(await (await read()).text(), /^BEGIN:VCALENDAR\r\n/);
    await ada.clickText('End the address');
    await ada.sees('The address has ended.');
    assert.is((await read()).status, 404);
    assert.equal(ada.faults, []);
  });
}
