import type { Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import { startTestServer, type Team } from '../support/server.ts';
import { openApp, signIn } from './app-page.ts';
import { fillInbox, showAll } from './long-list.ts';
import { type BrowserTest, browserSuite } from './story.ts';

const SLOW_LINE = { offline: false, latency: 100, downloadThroughput: 5_120, uploadThroughput: 5_120 };
const MEMBERS = 500;
const OPENINGS = 4;
const SLOWER = 4;
const MOST_TO_OPEN_MS = 200;
const ROWS = 3_000;
const MOST_HEAP_BYTES = 15_000_000;

/** Measures things that only Chromium's protocol slows down or measures. */
function speedStory(test: BrowserTest): void {
  test('On a line of 5 KB a second the outline of a list is there long before the scripts', async ({
    browser,
  }, opened) => {
    const { server } = await startTestServer(opened);
    const app = await openApp(browser, opened);
    const protocol = await app.page.createCDPSession();
    await protocol.send('Network.enable');
    await protocol.send('Network.emulateNetworkConditions', SLOW_LINE);
    const loaded = app.page.goto(server.url);
    const outlined = await app.page.waitForFunction(`(() => {
    const row = document.querySelector('.skeleton-row');
    const isThere = row?.checkVisibility({ visibilityProperty: true }) && row.getBoundingClientRect().top < innerHeight;
    return isThere && { scripts: performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length };
  })()`);
    assert.equal(await outlined.jsonValue(), { scripts: 0 }, 'no script is through');
    await protocol.send('Network.emulateNetworkConditions', {
      ...SLOW_LINE,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
    await loaded;
    await app.sees('With a password');
    assert.is(await app.page.$('.skeleton'), null);
    assert.equal(app.faults, []);
  });

  test('The dialog for invitations opens in 200 ms on a slow processor, redraws no member, and costs no more than in proportion to members', async ({
    browser,
  }, opened) => {
    const { server, team } = await startTestServer(opened);
    for (let n = 1; n < MEMBERS; n += 1) {
      granted(await team.store.addMember({ workspace: 'acme', email: `member-${n}@example.com`, role: 'member' }));
    }
    const app = await openApp(browser, opened);
    await signIn(app, server.url, team);
    await app.page.goto(`${server.url}/w/acme/members`);
    await app.page.waitForSelector('.line');
    const with50 = await opensIn(app.page);
    assert.ok(SLOWER * with50.ms < MOST_TO_OPEN_MS, `${with50.ms} ms of CPU`);
    for (let shown = 50; shown < MEMBERS; shown += 50) {
      await app.click('Show more');
      await app.page.waitForFunction(`document.querySelectorAll('.line').length > ${shown}`);
    }
    const withAll = await opensIn(app.page);
    const measured = `${JSON.stringify(withAll)} of CPU, ${JSON.stringify(with50)} beside 50`;
    assert.ok(withAll.scriptMs < 2.5 * with50.scriptMs, measured);
    // A browser restyles all that is beneath a dialog.
    assert.ok(withAll.ms < (MEMBERS / 50) * with50.ms, measured);
    const names = (await readTo(app.page, 'StaticText')).filter((text) => /^member-\d+@/.test(text));
    assert.ok(new Set(names).size > 0.9 * MEMBERS, `${new Set(names).size} members`);
    assert.equal(app.faults, []);
  });

  test('A live event costs a list of 3,000 rows little more than a list of 50, in less than 15 MB of heap', async ({
    browser,
  }, opened) => {
    const { server, sandbox, team, env } = await startTestServer(opened);
    await team.addDevice(sandbox, { platform: 'android' });
    fillInbox(env, ROWS);
    const app = await openApp(browser, opened);
    await app.page.setViewport({ width: 390, height: 844 });
    await signIn(app, server.url, team);
    // The page that was clicked on has a tree for screen readers besides, for which puppeteer had asked.
    await app.page.reload();
    await app.sees('Disk nearly full on db-');
    // The first one compiles.
    await showsLive(app.page, team, 'First');
    const { ms: with50 } = await workOf(app.page, () => showsLive(app.page, team, 'Beside 50'));
    const shown = await showAll(app.page);
    assert.ok(shown > ROWS, `${shown} rows`);
    await showsLive(app.page, team, 'First beside all');
    const { ms: withAll } = await workOf(app.page, () => showsLive(app.page, team, 'Beside all'));
    assert.ok(withAll < 5 * with50, `${withAll} ms of CPU, ${with50} beside 50`);

    const protocol = await app.page.createCDPSession();
    await protocol.send('HeapProfiler.collectGarbage');
    const { usedSize } = await protocol.send('Runtime.getHeapUsage');
    assert.ok(usedSize < MOST_HEAP_BYTES, `${usedSize} bytes`);
    const last = String(
      await app.page.evaluate(`[...document.querySelectorAll('.event-title')].at(-1).lastChild.textContent`),
    );
    assert.is(await app.page.evaluate(`find(${JSON.stringify(last)}, true, true) && String(getSelection())`), last);
    const [items, links] = [await readTo(app.page, 'listitem'), await readTo(app.page, 'link')];
    assert.ok(items.length > 0.9 * ROWS, `${items.length} items`);
    assert.ok(links.length > items.length, 'with what they say');
    assert.equal(app.faults, []);
  });
}

browserSuite('chromium', speedStory).run();

/** Returns the names of a role for screen readers. */
async function readTo(page: Page, role: string): Promise<readonly string[]> {
  const protocol = await page.createCDPSession();
  const { nodes } = await protocol.send('Accessibility.getFullAXTree');
  await protocol.detach();
  return nodes.flatMap((node) => (!node.ignored && node.role?.value === role ? [String(node.name?.value)] : []));
}

/** Posts an event and waits until the page shows it, and has done what follows from it. */
async function showsLive(page: Page, team: Team, title: string): Promise<void> {
  await team.post({ title });
  const first = `document.querySelector('.event-title')?.lastChild.textContent === ${JSON.stringify(title)}`;
  await page.waitForFunction(first, { polling: 100 });
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(resolve))))',
  );
}

/** The rest is Chromium's tree for screen readers, which only puppeteer asks for here. */
const PAGE_WORK = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'];

interface Work {
  readonly ms: number;
  /** The time of scripts alone. */
  readonly scriptMs: number;
}

/** The work of the page's thread meanwhile, in ms of CPU, which other programs on the machine do not prolong. */
async function workOf(page: Page, act: () => Promise<unknown>): Promise<Work> {
  const protocol = await page.createCDPSession();
  await protocol.send('Performance.enable', { timeDomain: 'threadTicks' });
  const takenMs = async () => {
    const { metrics } = await protocol.send('Performance.getMetrics');
    const [scriptMs = 0, ...others] = PAGE_WORK.map(
      (wanted) => 1_000 * (metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN),
    );
    return { scriptMs, ms: others.reduce((sum, ms) => sum + ms, scriptMs) };
  };
  const before = await takenMs();
  await act();
  const after = await takenMs();
  await protocol.detach();
  return { ms: after.ms - before.ms, scriptMs: after.scriptMs - before.scriptMs };
}

/** The cheapest opening of some: the first one compiles, and another may collect garbage. */
async function opensIn(page: Page): Promise<Work> {
  const all: Work[] = [];
  for (let nth = 0; nth < OPENINGS; nth += 1) all.push(await opening(page));
  return { ms: Math.min(...all.map(({ ms }) => ms)), scriptMs: Math.min(...all.map(({ scriptMs }) => scriptMs)) };
}

/** From the click to the frame that shows the dialog. */
async function opening(page: Page): Promise<Work> {
  const work = await workOf(page, () =>
    page.evaluate(`new Promise((resolve) => {
    document.querySelector('.page-bar .primary').click();
    const look = () => document.querySelector('dialog[open]')
      ? requestAnimationFrame(() => setTimeout(resolve))
      : requestAnimationFrame(look);
    look();
  })`),
  );
  await page.keyboard.press('Escape');
  // The page hears that the browser closed it a moment later, and takes it away then.
  await page.waitForFunction(`document.querySelector('dialog') === null`);
  return work;
}
