import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { assertForEverybody, tooWideAt } from './accessibility.ts';
import { twoBrowsers } from './acknowledge-story.ts';
import type { AppPage } from './app-page.ts';
import { untilShown } from './browser.ts';
import { changeIn } from './not-showing-story.ts';
import type { BrowserTest } from './story.ts';
import { clickNotification, shownBy } from './worker.ts';

const WIDTHS = [320, 1_280];
const DOWN = { title: 'Payments fail', level: 'error', delivery_urgency: 'time_sensitive', collapse_key: 'down' };

/** An alert of a channel with a rota, on the devices of two people. */
export function onCallStory(test: BrowserTest): void {
  test('An alert wakes the person on call alone. At widen_after it rings for everyone, and the other person takes it', async (parts, opened) => {
    const { team, ada, bob, proxy } = await twoBrowsers(parts, opened);
    granted(await team.store.createRota({ workspace: team.slug, slug: 'turns', members: [team.bob, team.owner] }));

    await ada.page.goto(`${proxy.url}/w/${team.slug}/channels/alerts`);
    await ada.page.locator('.actions > button:nth-of-type(2)').click();
    await ada.page.waitForSelector('[name="rota"]');
    await ada.page.select('[name="rota"]', 'turns');
    await ada.page.select('[name="widen_after"]', '600');
    await assertForEverybody(ada.page, 'the reminders of a channel with a rota');
    for (const width of WIDTHS) assert.equal(await tooWideAt(ada.page, width), []);
    await ada.submit();
    await ada.sees('It rings for the person on call (turns)');

    const { public_id: id } = (await team.post(DOWN)).body.event;
    await showsAsOne(bob, { silent: false, actions: ['acknowledge'] });
    const [quiet] = await showsAsOne(ada, { silent: true, actions: [] });
    assert.match(String(quiet?.body), /^bob is on call\./);
    await ada.page.goto(`${proxy.url}/events/${id}`);
    await ada.sees('bob is on call');
    await assertForEverybody(ada.page, 'the page of an alert with a person on call');

    // The ten minutes have passed.
    changeIn(parts.env, 'UPDATE alert SET widen_at = 1; UPDATE insisting SET next_at = 1');
    await showsAsOne(ada, { silent: false, actions: ['acknowledge'] });
    assert.is(await clickNotification(ada.page, 'acknowledge'), null);
    await untilShown('the person on call learns who has it', async () => {
      const shown = await shownBy(bob.page);
      return shown.some(({ body, silent }) => silent && String(body).startsWith('ada has it.')) || shown;
    });
    assert.equal([...ada.faults, ...bob.faults], []);
  });
}

/** Waits until the alert's only notification has these properties. */
async function showsAsOne(
  { page }: AppPage,
  wanted: { readonly silent: boolean; readonly actions: readonly string[] },
) {
  // A person who comes on call also learns that.
  const ofAlert = async () => (await shownBy(page)).filter(({ title }) => title === DOWN.title);
  await untilShown(`it is ${wanted.silent ? 'quiet' : 'loud'}`, async () => {
    const shown = await ofAlert();
    const [first] = shown;
    const isWanted =
      first?.silent === wanted.silent && JSON.stringify(first.actions) === JSON.stringify(wanted.actions);
    return (shown.length === 1 && isWanted) || shown;
  });
  return ofAlert();
}
