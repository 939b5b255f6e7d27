import { v4 } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Heartbeat } from '../../src/store/calls.ts';
import { type Api, exchangeBytes, type RequestOptions, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';

const test = suite('pings');

test('a ping is taken by each method and at each address of Healthchecks, with its answers', () =>
  withHeartbeat(async ({ ping, state }) => {
    for (const method of ['GET', 'HEAD', 'POST']) {
      const reply = await ping('', { method });
      assert.equal([reply.status, reply.text], [200, method === 'HEAD' ? '' : 'OK']);
      assert.match(String(reply.headers['content-type']), /^text\/plain/);
      assert.is(await state(), 'up');
    }
    assert.is((await ping('/fail')).status, 200);
    assert.is(await state(), 'down');
    assert.is((await ping('/')).status, 200);
    assert.is(await state(), 'up');
    assert.is((await ping('/0')).status, 200);
    assert.is(await state(), 'up');
    assert.is((await ping('/255')).status, 200);
    assert.is(await state(), 'down');
    for (const suffix of ['/start', '/log', '/log/', '//log']) assert.equal((await ping(suffix)).text, 'OK', suffix);
    assert.is(await state(), 'down');
  }));

test('an exit status above 255 and a run id that is none are refused, and change nothing', () =>
  withHeartbeat(async ({ ping, state }) => {
    for (const [suffix, text] of [
      ['/256', 'invalid url format'],
      ['?rid=123', 'invalid uuid format'],
      ['/fail?rid=', 'invalid uuid format'],
    ]) {
      const reply = await ping(suffix);
      assert.equal([reply.status, reply.text], [400, text], suffix);
    }
    assert.is(await state(), 'new');
  }));

test('an unknown address is not found, and who tries many is slowed down', () =>
  withHeartbeat(
    async ({ api, ping }) => {
      for (const path of [`/ping/${v4()}`, '/ping/backup']) {
        const reply = await api.request(path);
        assert.equal([reply.status, reply.text], [404, 'not found'], path);
      }
      assert.is((await ping('/unknown')).status, 404);
      const refused = await api.request(`/ping/${v4()}`);
      assert.is(refused.status, 429);
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.is((await ping('')).status, 200, 'who knows an address pings on');
    },
    { connectionPerMinute: 3 },
  ));

test('more than 60 pings of one heartbeat within a minute are refused', () =>
  withHeartbeat(async ({ ping }) => {
    for (let n = 0; n < 60; n += 1) assert.is((await ping('')).status, 200);
    const refused = await ping('');
    assert.is(refused.status, 429);
    assert.match(refused.text, /more than 60 times within a minute/);
    assert.match(String(refused.headers['content-type']), /^text\/plain/);
  }));

test('the last 1,000 characters of any body are kept, of any length', () =>
  withHeartbeat(async ({ ping, read }) => {
    const output = async (body: string | Buffer, type = 'x/y') => {
      assert.is((await ping('', { method: 'POST', body, headers: { 'Content-Type': type } })).status, 200);
      return (await read()).last_output;
    };
    assert.is(await output('12 files'), '12 files');
    assert.is(await output(`${'🙂'.repeat(300_000)}end`), `${'🙂'.repeat(997)}end`);
    assert.is(await output(Buffer.from([0x61, 0, 0xff, 0x62])), 'a\uFFFDÿb');
    assert.is(await output(`${'👩‍🚀'.repeat(400)}.`), `${'👩‍🚀'.repeat(333)}.`);
    assert.is(await output(Buffer.from('€'.repeat(3_000), 'utf16le'), 'text/plain; charset=utf-16'), '€'.repeat(1_000));
    assert.is(await output(Buffer.from('5 € für', 'latin1'), 'text/plain; charset=iso-8859-1'), '5 ¬ für');
    assert.is(await output('  \n'), null);
  }));

test('a body beyond 4 MiB is refused', () =>
  withHeartbeat(async ({ ping, state }) => {
    assert.is((await ping('', { method: 'POST', body: 'x'.repeat(4_194_305) })).status, 413);
    assert.is(await state(), 'new');
  }));

test('one that waits for a body asks for it, as curl does with a long one', () =>
  withHeartbeat(async ({ api, path, read }) => {
    const head = `POST ${path}/fail HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\nConnection: close\r\n\r\n`;
    const answer = await exchangeBytes(api.http.url, head, 'oops');
    assert.match(answer, /^HTTP\/1\.1 100 Continue[\s\S]+HTTP\/1\.1 200 OK/);
    assert.is((await read()).last_output, 'oops');
  }));

test('push clients of Uptime Kuma say by the query how it goes, and why', () =>
  withHeartbeat(async ({ ping, read }) => {
    await ping('?status=up&msg=OK&ping=12');
    assert.equal([(await read()).state, (await read()).last_output], ['up', 'OK']);
    await ping('?status=down&msg=connection%20refused&ping=');
    assert.equal([(await read()).state, (await read()).last_output], ['down', 'connection refused']);
  }));

test("The Watchdog alert in Alertmanager's JSON webhook is a ping", () =>
  withHeartbeat(async ({ ping, state }) => {
    const body = { version: '4', status: 'firing', alerts: [{ status: 'firing', labels: { alertname: 'Watchdog' } }] };
    assert.is((await ping('', { method: 'POST', body })).status, 200);
    assert.is(await state(), 'up');
  }));

test('no UUID of a ping stands in the log, also of one that is refused', () =>
  withHeartbeat(async ({ api, path, ping }) => {
    await ping('');
    await ping('/256');
    await api.request(path, { method: 'PUT' });
    assert.match(api.log(), '"/ping/:first"');
    assert.not.match(api.log(), path.slice('/ping/'.length));
  }));

test.run();

interface Scene {
  readonly api: Api;
  /** The address of its pings. */
  readonly path: string;
  ping(suffix: string | undefined, options?: RequestOptions): ReturnType<Api['request']>;
  read(): Promise<Heartbeat>;
  state(): Promise<Heartbeat['state']>;
}

function withHeartbeat(use: (scene: Scene) => Promise<void>, limits = {}): Promise<void> {
  return withApi(
    async (api) => {
      const named = { workspace: 'acme', slug: 'backup' };
      const { uuid } = granted(await api.store.createHeartbeat({ ...named, channel: 'alerts' }));
      const path = `/ping/${uuid}`;
      const read = async () => granted(await api.store.showHeartbeat(named));
      await use({
        api,
        path,
        ping: (suffix, options) => api.request(path + suffix, options),
        read,
        state: async () => (await read()).state,
      });
    },
    { limits },
  );
}
