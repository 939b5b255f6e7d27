import * as assert from 'uvu/assert';
import { granted } from '../support/refusals.ts';
import type { Resources } from '../support/resources.ts';
import { codeFor } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { openApp, signIn } from './app-page.ts';
import type { BrowserInTest, BrowserTest } from './story.ts';
import { startWebProxy, type WebProxy } from './web-proxy.ts';

const SETTINGS_PART = /^\/assets\/settings-/;
const ALERTS = /^\/api\/v1\/alerts\?/;
const PLOT_PART = /^\/assets\/draw-plot-.*js$/;
const CHANNELS_PART = /^\/assets\/channels-/;

/** The app's parts, each of which is loaded when it is first shown, while the network or the server changes. */
export function partsStory(test: BrowserTest): void {
  test('If a page is left while a part of it loads, the wanted page opens', async (parts, opened) => {
    const { team } = parts;
    const proxy = await withoutWorker(parts, opened);
    proxy.set(SETTINGS_PART, 'waits');
    const app = await openApp(parts.browser, opened);
    await signIn(app, proxy.url, team);
    await app.click('Settings', 'link');
    await until('the part is asked for', () => proxy.waiting.some((path) => SETTINGS_PART.test(path)));
    proxy.set(/^\/(channels|settings)$/, 'waits');
    const leave = async () => {
      await until('the next page is asked for', () => proxy.waiting.includes('/channels'));
      // Firefox breaks off the part by itself.
      proxy.set(SETTINGS_PART, 'breaks');
      await until('the page that is left knows it', () => proxy.waiting.includes('/settings'));
      proxy.pass();
    };
    await Promise.all([app.page.goto(`${proxy.url}/channels`), leave()]);
    await app.sees('You have no device yet');
    assert.equal(app.faults, []);
  });

  test('Open alerts come with the inbox: nothing that is shown moves when they are late', async (parts, opened) => {
    const { sandbox, team } = parts;
    const proxy = await withoutWorker(parts, opened);
    granted(
      await team.store.updateChannel({ workspace: team.slug, slug: 'alerts', insist: { repeat: 60, until: 600 } }),
    );
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Deploy finished' });
    await team.post({ title: 'Disk full', delivery_urgency: 'time_sensitive' });
    proxy.set(ALERTS, 'waits');
    const app = await openApp(parts.browser, opened);
    await app.page.goto(`${proxy.url}/#pair=${await codeFor(team, team.owner)}`);
    await app.click('Sign in');
    await app.click('Go to the inbox');
    await until('the alerts are asked for', () => proxy.waiting.some((path) => ALERTS.test(path)));
    await app.page.waitForSelector('.skeleton');
    await app.seesNo('Deploy finished');
    proxy.pass();
    await app.sees('Needs someone');
    await app.sees('Deploy finished');
    assert.equal(app.faults, []);
  });

  test('A part that cannot be had says so, and comes with the next try', async (parts, opened) => {
    const proxy = await withoutWorker(parts, opened);
    proxy.set(CHANNELS_PART, 'breaks');
    const app = await openApp(parts.browser, opened);
    await signIn(app, proxy.url, parts.team);
    await app.click('Channels', 'link');
    await app.sees('This part of the app could not be loaded');
    proxy.pass();
    await app.click('Try again');
    await app.sees('You have no device yet');
    assert.equal(app.faults, []);
  });

  test('Without its plots the overview has its figures', async (parts, opened) => {
    const { sandbox, team } = parts;
    const proxy = await withoutWorker(parts, opened);
    proxy.set(PLOT_PART, 'waits');
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Disk full' });
    const app = await openApp(parts.browser, opened);
    await signIn(app, proxy.url, team);
    await app.page.goto(`${proxy.url}/w/${team.slug}`);
    await until('the part is asked for', () => proxy.waiting.some((path) => PLOT_PART.test(path)));
    proxy.set(PLOT_PART, 'breaks');
    await app.sees('Everything works: 1 event');
    await app.show(`/w/${team.slug}/events`);
    await app.sees('Disk full');
    assert.equal(app.faults, []);
  });
}

/** Without the worker, which keeps all parts. */
async function withoutWorker({ server }: BrowserInTest, opened: Resources): Promise<WebProxy> {
  const proxy = opened.add(await startWebProxy(server.url));
  proxy.set(/^\/sw\.js$/, 'waits');
  return proxy;
}
