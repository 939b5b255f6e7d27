/** Draws the README's pictures of the web app in Chromium, from a real server after a busy day. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApp, signIn } from '../browsers/app-page.ts';
import { launch } from '../browsers/browser.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { aBusyDay } from './busy-day.ts';

const PHONE = { width: 390, height: 844, deviceScaleFactor: 2 };
const COMPUTER = { width: 1200, height: 844, deviceScaleFactor: 1.5 };

/** `text`: what the page shows once all of it is there. `{alert}` stands for the id of the open alert. */
const PICTURES = [
  { name: 'inbox', path: '/', text: 'Disk nearly full', viewport: PHONE, scheme: 'dark' },
  { name: 'alert', path: '/events/{alert}', text: 'Who was notified', viewport: PHONE, scheme: 'dark' },
  { name: 'overview', path: '/w/acme', text: 'Channels', viewport: COMPUTER, scheme: 'light' },
] as const;

export async function drawApp(into: string): Promise<void> {
  await using opened = new Resources();
  const scene = await startTestServer(opened);
  const alert = await aBusyDay(scene);
  const app = await openApp(await launch('chromium', scene.sandbox, opened), opened);
  await signIn(app, scene.server.url, scene.team);
  for (const { name, path, text, viewport, scheme } of PICTURES) {
    await app.page.setViewport(viewport);
    await app.page.evaluate(`localStorage.setItem('scheme', '${scheme}')`);
    await app.page.goto(`${scene.server.url}${path.replace('{alert}', alert)}`, { waitUntil: 'networkidle2' });
    await app.sees(text);
    writeFileSync(join(into, `${name}.webp`), await app.page.screenshot({ type: 'webp', quality: 80 }));
  }
}
