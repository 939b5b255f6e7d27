import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { settled } from '../support/server.ts';
import { tooWideAt } from './accessibility.ts';
import { openSignedIn } from './app-page.ts';
import { IS_MENU_IN_SIGHT } from './menus.ts';
import type { BrowserTest } from './story.ts';

const WIDTHS = [320, 1000] as const;
const OWN = ['/', '/channels', '/devices', '/settings'];
const ROWS = ['/channels', '/members', '/devices'];
const MANAGED = ['', '/events', '/send', '/channels', '/heartbeats', '/keys', '/members', '/devices', '/audit'];

/** Names and texts of which nothing can be broken between words. */
export function longTextsStory(test: BrowserTest): void {
  test('The longest names and texts fit every page and the rows of a phone, and its bar hides neither the focus nor a menu', async (parts, opened) => {
    const { server, sandbox, team } = parts;
    const email = `${'m'.repeat(64)}@${'d'.repeat(60)}.${'e'.repeat(60)}.example`;
    const [slug, workspace] = ['c'.repeat(120), 'w'.repeat(63)];
    granted(await team.store.createChannel({ workspace: team.slug, slug, name: 'N'.repeat(255) }));
    granted(await team.store.createWorkspace({ slug: workspace, name: 'W'.repeat(255) }));
    for (const of of [team.slug, workspace]) await team.join(email, { workspace: of, role: 'owner' });
    await team.issueKey({ name: 'K'.repeat(255), channels: [slug] });
    const device = {
      platform: 'android',
      token: sandbox.token({ platform: 'android' }),
      name: 'D'.repeat(255),
    } as const;
    granted(await team.store.addDevice({ workspace: team.slug, email, ...device, subscribe: [slug] }));
    const texts = { title: 'x'.repeat(255), description: 'y'.repeat(1_000), event_type: 't'.repeat(120) };
    const { event } = (await team.post({ channel: slug, ...texts, collapse_key: 'k'.repeat(64) })).body;
    await settled(team, event.public_id);
    const app = await openSignedIn(parts, opened, email);
    const managed = [...MANAGED, `/events/${event.public_id}`].map((place) => `/w/${team.slug}${place}`);
    for (const path of [...OWN, `/events/${event.public_id}`, ...managed]) {
      await app.show(path);
      await app.isAt(path);
      await app.page.waitForFunction(`document.querySelector('main h1') && !document.querySelector('.skeleton')`);
      await app.page.evaluate(`for (const element of document.querySelectorAll('details')) element.open = true`);
      for (const width of WIDTHS) assert.equal(await tooWideAt(app.page, width), [], path);
    }
    await app.page.setViewport({ width: 320, height: 700 });
    for (const path of ROWS) {
      await app.page.goto(`${server.url}/w/${team.slug}${path}`);
      await app.page.waitForSelector('.line');
      assert.equal(await app.page.evaluate(CUT), [], path);
      assert.equal(await app.page.evaluate(BEGINS_WITH_DOT), [], path);
      assert.equal(await app.page.evaluate(HIDDEN_FOCUS), [], path);
      if ((await app.page.$('.row-menu')) === null) continue;
      await app.page.evaluate(OPEN_LAST_MENU);
      await app.page.waitForFunction(IS_MENU_IN_SIGHT);
    }
    assert.equal(app.faults, []);
  });
}

/** The links and menus that lie behind something when they have the focus. */
const HIDDEN_FOCUS = `[...document.querySelectorAll('.line-name[href], .row-menu > summary')].filter((element) => {
  scrollTo(0, 0);
  // It is at the lower edge of the screen, where the bar is.
  scrollBy(0, element.getBoundingClientRect().bottom - innerHeight);
  element.focus();
  const { x, y, width, height } = element.getBoundingClientRect();
  return !element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}).map((element) => element.outerHTML.slice(0, 90))`;
const OPEN_LAST_MENU = `(() => {
  scrollTo(0, 0);
  const menu = [...document.querySelectorAll('.row-menu')].at(-1);
  const { bottom } = menu.getBoundingClientRect();
  // It is opened at the lower edge of what is seen.
  scrollBy(0, bottom + document.querySelector('.nav').offsetHeight - innerHeight);
  menu.open = true;
})()`;

const CUT = `[...document.querySelectorAll('.line-names > *')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1).map((element) => element.outerHTML.slice(0, 90))`;

/** The facts that begin a line of a row with a dot: their text is not where the name begins, or the dot is in sight. */
const BEGINS_WITH_DOT = `[...document.querySelectorAll('.line:has(.line-more) > .line-fact')].filter((fact) => {
  const place = fact.getBoundingClientRect();
  const row = fact.parentElement;
  const others = [...row.querySelectorAll('.line-name, .line-more, .line-fact')].map((element) => element.getBoundingClientRect());
  const isFirst = !others.some(({ left, top, bottom }) => left < place.left && top < place.bottom && bottom > place.top);
  if (place.width === 0 || !isFirst) return false;
  const text = document.createRange();
  text.selectNodeContents(fact);
  const start = row.querySelector('.line-name').getBoundingClientRect().left;
  const edge = row.getBoundingClientRect().left + row.clientLeft;
  const isClipped = getComputedStyle(row).overflowX === 'clip' && start - edge < 5;
  return Math.abs(text.getBoundingClientRect().left - start) > 1 || !isClipped;
}).map((fact) => fact.outerHTML)`;
