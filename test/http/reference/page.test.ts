import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { referencePage } from '../../../src/http/reference/page.ts';
import { readWebFiles } from '../../../src/http/web/files.ts';
import { packagePath } from '../../../src/process/package.ts';
import { type Api, getBytes as get, withApi } from '../../support/http.ts';
import { type Described, describedApi, operationsOf } from '../../support/openapi.ts';

const web = readWebFiles(packagePath('dist', 'web'));
const withReference = (use: (api: Api) => Promise<void>) => withApi(use, { web });

test('/docs shows each operation of the live description, with the names of all its fields', () =>
  withReference(async (api) => {
    const { status, headers, body } = await get(api, '/docs');
    assert.equal([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
    const page = body.toString();
    const document = (await api.request('/api/openapi.json')).body as unknown as Described;
    for (const [, , { operationId }] of operationsOf(document)) {
      assert.ok(page.includes(`<section id="${operationId}">`), operationId);
    }
    const names = Object.keys(document.components.schemas.PostedEvent?.properties ?? {});
    const section = /<section id="postEvent">.*?<\/section>/s.exec(page)?.[0] ?? '';
    assert.ok(names.length > 10);
    for (const name of names) assert.ok(section.includes(`<dt><code>${name}</code>`), name);
    assert.ok(page.includes(`<code>${(document.servers as [{ url: string }])[0].url}</code>`));
    assert.equal(page.match(/\$ref|undefined|\[object|<script| style=/g), null);
  }));

test('/docs has the policy of the web app, loads the style of the build alone, and HEAD and 304 leave out the page', () =>
  withReference(async (api) => {
    const app = await get(api, '/');
    const page = await get(api, '/docs');
    for (const name of ['content-security-policy', 'cross-origin-opener-policy', 'referrer-policy', 'cache-control']) {
      assert.is(page.headers[name], app.headers[name], name);
    }
    assert.equal([page.headers['content-language'], page.headers.vary], ['en', 'Accept-Encoding']);
    const loaded = [...page.body.toString().matchAll(/<link[^>]* href="([^"]+)"/g)].map(([, address = '']) => address);
    assert.match(loaded.join(' '), /^\/icon\.svg \/assets\/reference-[\w-]+\.css$/);
    for (const address of loaded) assert.is((await get(api, address)).status, 200, address);

    const zipped = await get(api, '/docs', { 'Accept-Encoding': 'gzip' });
    assert.ok(gunzipSync(zipped.body).equals(page.body));
    assert.is.not(zipped.headers.etag, page.headers.etag);
    const known = await get(api, '/docs', { 'If-None-Match': page.headers.etag ?? '' });
    const head = await get(api, '/docs', {}, 'HEAD');
    assert.equal([known.status, known.body.length, head.status, head.body.length], [304, 0, 200, 0]);
    assert.is(head.headers.etag, page.headers.etag);
    for (const address of ['/docs/', '/docs/none.js', '/assets/reference-none.css']) {
      assert.is((await get(api, address)).status, 404, address);
    }
  }));

test('There is no /docs if the web app is switched off', () =>
  withApi(async (api) => assert.is((await get(api, '/docs')).status, 404)));

test('Texts of the description never become markup of the page', () => {
  const evil = '</p><script>alert(1)</script>"\'&';
  const described = JSON.parse(
    JSON.stringify(describedApi()).replaceAll('Headline of', JSON.stringify(evil).slice(1, -1)),
  );
  const page = referencePage(described, []);
  assert.not.match(page, '<script>');
  assert.match(page, '&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp; the notification');
});

test.run();
