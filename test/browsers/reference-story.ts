import * as assert from 'uvu/assert';
import { assertForEverybody } from './accessibility.ts';
import { openApp } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** The API reference, which the server makes and which runs no script. */
export function referenceStory(test: BrowserTest): void {
  test('The API reference shows an operation with its fields, keeps the policy and asks no other host', async ({
    browser,
    server,
  }, opened) => {
    const app = await openApp(browser, opened);
    const asked: string[] = [];
    app.page.on('request', (request) => asked.push(request.url()));
    await app.page.goto(`${server.url}/docs#postEvent`, { waitUntil: 'networkidle0' });
    await app.sees('Send an event');
    await app.sees('idempotency_key string');
    await app.page.evaluate(`document.querySelector('#postEvent details').open = true`);
    await app.sees('target_device_count integer');
    const edge = await app.page.evaluate(`getComputedStyle(document.querySelector('#postEvent')).borderLeftStyle`);
    assert.is(edge, 'solid', 'it has its style');
    const paths = asked.map((url) => url.replace(server.url, '').replace(/-[\w-]+\.css$/, '.css')).sort();
    assert.equal(
      paths.filter((path) => path !== '/icon.svg'),
      ['/assets/reference.css', '/docs#postEvent'],
    );
    assert.equal(app.faults, []);
    await assertForEverybody(app.page, '/docs');
  });
}
