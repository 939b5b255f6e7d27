import * as assert from 'uvu/assert';
import { until } from '../support/until.ts';
import { openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** Tells the requests of a starting app to the server. */
export function firstLoadStory(test: BrowserTest): void {
  test('A start asks for the session, the events and the alerts once each, with the worker and without it', async ({
    browser,
    server,
    sandbox,
    team,
  }, opened) => {
    await team.addDevice(sandbox, { platform: 'android' });
    await team.post({ title: 'Disk full' });
    const app = await openApp(browser, opened);
    const asked: string[] = [];
    let from: string | null = null;
    app.page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      from = searchParams.get('last_event_id') ?? from;
      if (request.method() === 'GET' && pathname.startsWith('/api/v1/')) asked.push(pathname.slice('/api/v1/'.length));
    });
    const count = (what: string) => asked.filter((path) => path === what).length;
    await signIn(app, server.url, team);
    await app.sees('Disk full');
    await app.page.waitForFunction('navigator.serviceWorker.controller !== null');
    const starts = async (title: string) => {
      // One that waits five seconds for answers begins to listen without a place, and is told to load everything.
      for (from = ''; from === ''; ) {
        asked.length = 0;
        await app.page.reload();
        await until('it listens', () => count('stream') === 1);
      }
      // The first message of the stream came before this.
      await team.post({ title });
      await app.sees(title);
      const first = { session: count('session'), events: count('events') - 1, stream: count('stream') };
      assert.equal(first, { session: 1, events: 1, stream: 1 });
      assert.ok(count('alerts') <= 2, 'and once for what came');
    };
    await starts('With the worker');
    await app.page.evaluate(`navigator.serviceWorker.getRegistrations()
      .then((all) => Promise.all(all.map((worker) => worker.unregister())))`);
    await starts('Without it');
    assert.equal(app.faults, []);
  });
}
