import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { APP_ADDRESSES } from '../../../src/contract/app-addresses.ts';
import { readWebFiles } from '../../../src/http/web/files.ts';
import { packagePath } from '../../../src/process/package.ts';
import { type Api, getBytes as get, withApi } from '../../support/http.ts';

const web = readWebFiles(packagePath('dist', 'web'));
const NOTHING = 'There is nothing at this address.';
const withApp = (use: (api: Api) => Promise<void>): Promise<void> => withApi(use, { web });
const SCRIPT = [...web.keys()].find((address) => /^\/assets\/index-.*\.js$/.test(address)) ?? '';

/** The rules of section 7.3 of the facts about browsers, in their order. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types pushctl";

test('Each address of the app returns the same page, and browsers request it again each time', () =>
  withApp(async (api) => {
    const page = web.get('/index.en.html')?.body.toString() ?? '';
    for (const address of APP_ADDRESSES) {
      const { status, headers, body } = await get(api, address.replaceAll(/{\w+}/g, 'some'));
      assert.is(status, 200, address);
      assert.is(body.toString(), page);
      assert.is(headers['content-type'], 'text/html; charset=utf-8');
      assert.is(headers['cache-control'], 'no-cache');
    }
  }));

test("A browser at an unknown address gets the app with a link home; other clients get the API's error", () =>
  withApp(async (api) => {
    const page = web.get('/index.en.html')?.body.toString() ?? '';
    const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    const asked = async (path: string, headers?: Record<string, string>) => {
      const { status, headers: answered, body } = await get(api, path, headers);
      assert.is(status, 404, path);
      assert.is(answered['cache-control'], 'no-store');
      return answered['content-type']?.startsWith('text/html') ? body.toString() : JSON.parse(body.toString()).message;
    };
    for (const path of ['/nowhere', '/w/acme/nowhere', '/api.html']) assert.is(await asked(path, browser), page);
    for (const path of ['/api', '/api/nowhere', '/api/v1/nowhere', '/assets/gone.js']) {
      assert.is(await asked(path, browser), NOTHING);
    }
    assert.is(await asked('/nowhere'), NOTHING);
    assert.is(await asked('/nowhere', { Accept: '*/*' }), NOTHING);
  }));

test('The page comes in the language that the user chose, else in the best of those that the browser takes', () =>
  withApp(async (api) => {
    const cases = [
      [{}, 'en'],
      [{ 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.8' }, 'de'],
      [{ 'Accept-Language': 'fr, de;q=0.5, en;q=0.7' }, 'en'],
      [{ 'Accept-Language': 'fr, nl' }, 'en'],
      [{ 'Accept-Language': 'de', Cookie: 'other=1; language=en' }, 'en'],
      [{ 'Accept-Language': 'en', Cookie: 'language=de' }, 'de'],
      [{ 'Accept-Language': 'de', Cookie: 'language=../../etc' }, 'de'],
    ] as const;
    for (const [asked, language] of cases) {
      for (const [path, status] of [
        ['/settings', 200],
        ['/nowhere', 404],
      ] as const) {
        const { headers, body, ...answered } = await get(api, path, { Accept: 'text/html', ...asked });
        assert.is(answered.status, status);
        assert.is(headers['content-language'], language, JSON.stringify(asked));
        assert.ok(body.equals(web.get(`/index.${language}.html`)?.body ?? Buffer.from('')));
        assert.match(body.toString(), `<html lang="${language}">`);
      }
    }
  }));

test('A page names the request fields that chose it, so no cache gives it to others', () =>
  withApp(async (api) => {
    const { headers } = await get(api, '/');
    assert.is(headers.vary, 'Accept-Encoding, Accept-Language, Cookie');
    const german = await get(api, '/', { 'Accept-Language': 'de', 'If-None-Match': headers.etag ?? '' });
    assert.is(german.status, 200);
  }));

test('Each of its files carries the policy of its pages', () =>
  withApp(async (api) => {
    for (const address of ['/', SCRIPT, '/sw.js', '/manifest.webmanifest', '/icon-192.png']) {
      const { status, headers } = await get(api, address);
      assert.is(status, 200, address);
      assert.is(headers['content-security-policy'], POLICY);
      assert.is(headers['cross-origin-opener-policy'], 'same-origin');
      assert.is(headers['referrer-policy'], 'no-referrer');
      assert.is(headers['x-content-type-options'], 'nosniff');
      assert.is(headers['permissions-policy'], 'camera=(), microphone=(), geolocation=()');
    }
  }));

test('A file with a hash in its name may be kept for ever, and no other file may', () =>
  withApp(async (api) => {
    const kept = async (address: string) => (await get(api, address)).headers['cache-control'];
    assert.is(await kept(SCRIPT), 'public, max-age=31536000, immutable');
    for (const address of ['/sw.js', '/manifest.webmanifest', '/icon.svg']) assert.is(await kept(address), 'no-cache');
  }));

test('A file comes compressed as the client takes it, brotli first', () =>
  withApp(async (api) => {
    const whole = web.get(SCRIPT)?.body ?? Buffer.from('');
    const cases = [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
      ['identity', undefined, (bytes: Buffer) => bytes],
    ] as const;
    for (const [accepts, encoding, decompress] of cases) {
      const { headers, body } = await get(api, SCRIPT, { 'Accept-Encoding': accepts });
      assert.is(headers['content-encoding'], encoding, accepts);
      assert.is(headers.vary, 'Accept-Encoding');
      assert.is(headers['content-length'], String(body.length));
      assert.ok(decompress(body).equals(whole), accepts);
    }
  }));

test('A picture is sent as it is, as it is compressed already', () =>
  withApp(async (api) => {
    assert.is((await get(api, '/icon-512.png', { 'Accept-Encoding': 'br' })).headers['content-encoding'], undefined);
  }));

test('A client that has a file already is answered 304, each encoding apart', () =>
  withApp(async (api) => {
    const first = await get(api, '/', { 'Accept-Encoding': 'br' });
    const known = { 'If-None-Match': first.headers.etag ?? '' };
    const again = await get(api, '/', { 'Accept-Encoding': 'br', ...known });
    assert.equal([again.status, again.body.length], [304, 0]);
    assert.is(again.headers.etag, first.headers.etag);
    assert.is(again.headers['cache-control'], 'no-cache');
    assert.is((await get(api, '/', { 'Accept-Encoding': 'gzip', ...known })).status, 200);
  }));

test('HEAD answers what GET does, without the file', () =>
  withApp(async (api) => {
    const full = await get(api, SCRIPT);
    const head = await get(api, SCRIPT, {}, 'HEAD');
    assert.equal([head.status, head.body.length], [200, 0]);
    assert.is(head.headers['content-length'], String(full.body.length));
    assert.is(head.headers.etag, full.headers.etag);
  }));

test('Another method is refused, with those that are taken', () =>
  withApp(async (api) => {
    for (const address of ['/', '/inbox', SCRIPT]) {
      const { status, headers, body } = await api.request(address, { method: 'POST' });
      assert.equal([status, headers.allow, body.code], [405, 'HEAD, GET', 'method_not_allowed'], address);
    }
  }));

test('A path that is not listed is the 404 of the API', () =>
  withApp(async (api) => {
    const others = [
      '/index.html',
      '/index.en.html',
      '/index.de.html',
      '/sw.js.br',
      '/assets/none.js',
      '/assets/',
      '/.vite/manifest.json',
      '/w/acme/none',
    ];
    for (const address of [...others, '/inbox/', '/Inbox', '/assets/%2e%2e%2findex.html', '/favicon.ico']) {
      const { status, headers, body } = await api.request(address);
      assert.is(status, 404, address);
      assert.is(headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(body, { message: 'There is nothing at this address.' });
    }
  }));

test('Without the app there is the API alone', () =>
  withApi(async (api) => {
    for (const address of ['/', '/inbox', '/sw.js', SCRIPT]) assert.is((await api.request(address)).status, 404);
  }));

test.run();
