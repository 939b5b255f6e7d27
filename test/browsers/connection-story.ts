import * as assert from 'uvu/assert';
import { aTeam, serveHere, serverEnv } from '../support/server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { type AppPage, openApp, RECONNECTS_WITHIN_MS, signIn } from './app-page.ts';
import { stopClock } from './passing-time.ts';
import type { BrowserTest } from './story.ts';
import { startWebProxy } from './web-proxy.ts';

/** An open app whose server goes away. */
export function connectionStory(test: BrowserTest): void {
  test('While the server is away the app says so, keeps what it shows, signs no user out, and goes on by itself', async (parts, opened) => {
    const env = await serverEnv(parts.sandbox);
    const before = await serveHere(opened, env);
    // The address stays while another program may take the port.
    const proxy = opened.add(await startWebProxy(before.url));
    const team = await aTeam(env, before.url);
    await team.addDevice(parts.sandbox, { platform: 'android' });
    await team.post({ title: 'Before the restart' });
    const app = await openApp(parts.browser, opened);
    await signIn(app, proxy.url, team);
    await app.sees('Before the restart');
    await app.page.waitForFunction('navigator.serviceWorker.controller !== null');
    await team.close();
    await before.stop();
    await app.sees('The server does not answer');
    await app.sees('Before the restart');
    await app.page.reload();
    await app.sees('The server does not answer');
    await app.seesNo('With a password');

    const after = await serveHere(opened, env);
    proxy.lead(after.url);
    const again = opened.add(await aTeam(env, after.url));
    await again.post({ title: 'After the restart' });
    await app.sees('After the restart', RECONNECTS_WITHIN_MS);
    await app.seesNo('The server does not answer');
    assert.equal(app.faults, []);
  });

  test('After a minute without a sign of life an open page takes its connection for dead, and shows what it missed', async ({
    browser,
    server,
    sandbox,
    team,
  }, opened) => {
    await team.addDevice(sandbox, { platform: 'android' });
    const proxy = opened.add(await startTcpProxy(server.url));
    const app = await openApp(browser, opened);
    await signIn(app, proxy.url.replace('https:', 'http:'), team);
    const pass = await stopClock(app.page);
    await team.post({ title: 'While all is well' });
    await app.sees('While all is well');
    proxy.freeze();
    await team.post({ title: 'While the connection is dead' });
    await pass(59_000);
    await app.seesNo('While the connection is dead');
    // The browser may give a new stream an idle connection, and these are dead as well.
    const showsInTime = (text: string) =>
      until(`the page shows "${text}"`, async () => {
        await pass(10_000);
        return isShown(app, text);
      });
    await showsInTime('While the connection is dead');
    await team.post({ title: 'All is well again' });
    await showsInTime('All is well again');
    assert.equal(app.faults, []);
  });
}

/** Waits for a text as long as an answer takes here. */
const isShown = ({ page }: AppPage, text: string): Promise<boolean> =>
  page.waitForFunction(`document.body.innerText.includes('${text}')`, { timeout: 2_000 }).then(
    () => true,
    () => false,
  );
