import * as assert from 'uvu/assert';
import { aTeam, serveHere, serverEnv } from '../support/server.ts';
import { openApp, RECONNECTS_WITHIN_MS, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';
import { startWebProxy } from './web-proxy.ts';

/** An open app whose server goes away. */
export function connectionStory(test: BrowserTest): void {
  test('While the server is away the app says so, open or started anew, keeps what it shows, signs no user out, and goes on by itself', async (parts, opened) => {
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
}
