import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Context } from '../../src/http/request-state.ts';
import { openApiRoutes } from '../../src/http/routes/service.ts';
import { getBytes, withApi } from '../support/http.ts';
import { describedApi, INSTALLATION } from '../support/openapi.ts';

const ADDRESS = '/api/openapi.json';

test('the API describes itself', () =>
  withApi(async (api) => {
    const reply = await api.request(ADDRESS);
    assert.is(reply.status, 200);
    assert.equal(reply.body, JSON.parse(JSON.stringify(describedApi())));
  }));

test('a client that has the description gets a 304 until it changes', () =>
  withApi(async (api) => {
    const { headers } = await api.request(ADDRESS);
    const etag = String(headers.etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await api.request(ADDRESS, { headers: { 'If-None-Match': known } });
      assert.equal([reply.status, reply.text, reply.headers.etag], [304, '', etag], known);
    }
    for (const other of ['"other"', etag.slice(1, -1), '']) {
      const reply = await api.request(ADDRESS, { headers: { 'If-None-Match': other } });
      assert.equal([reply.status, reply.headers.etag], [200, etag], other);
    }
  }));

test('the description comes compressed to whom takes it so, and is the same', () =>
  withApi(async (api) => {
    const whole = (await api.request(ADDRESS)).text;
    const cases = [
      ['gzip, deflate, br', 'gzip'],
      ['gzip', 'gzip'],
      ['*', 'gzip'],
      ['identity, gzip;q=0.5', undefined],
      ['gzip;q=0', undefined],
      ['br', undefined],
      ['', undefined],
    ] as const;
    for (const [accepts, encoding] of cases) {
      const { status, headers, body } = await getBytes(api, ADDRESS, { 'Accept-Encoding': accepts });
      assert.equal([status, headers['content-encoding'], headers.vary], [200, encoding, 'Accept-Encoding'], accepts);
      assert.is(headers['content-length'], String(body.length));
      assert.is((encoding === 'gzip' ? gunzipSync(body) : body).toString(), whole, accepts);
      if (encoding === 'gzip') assert.ok(body.length < whole.length / 5, `${body.length} of ${whole.length}`);
    }
  }));

test('each form of the description has an ETag of its own, and HEAD answers what GET does', () =>
  withApi(async (api) => {
    const tags = new Set<unknown>();
    for (const accepts of ['gzip', 'identity']) {
      const asked = { 'Accept-Encoding': accepts };
      const { headers, body } = await getBytes(api, ADDRESS, asked);
      const etag = String(headers.etag);
      tags.add(etag);
      const head = await getBytes(api, ADDRESS, asked, 'HEAD');
      assert.equal([head.status, head.body.length, head.headers.etag], [200, 0, etag]);
      assert.is(head.headers['content-length'], String(body.length));
      assert.is(head.headers['content-encoding'], headers['content-encoding']);
      for (const method of ['GET', 'HEAD']) {
        const known = await getBytes(api, ADDRESS, { ...asked, 'If-None-Match': etag }, method);
        assert.equal([known.status, known.body.length], [304, 0]);
        assert.equal([known.headers.etag, known.headers.vary], [etag, 'Accept-Encoding']);
        assert.is(known.headers['content-encoding'], undefined);
      }
      const other = accepts === 'gzip' ? 'identity' : 'gzip';
      const another = await getBytes(api, ADDRESS, { 'Accept-Encoding': other, 'If-None-Match': etag });
      assert.is(another.status, 200, 'a tag of one form says nothing of the other');
    }
    assert.is(tags.size, 2);
  }));

test('the description is written and compressed once, however often it is asked for', () => {
  const listen = { host: '127.0.0.1', port: 0, backlog: 128 };
  const config = { ...INSTALLATION, listen, tls: null, baseUrl: 'https://push.example.com/api' };
  const { getOpenApi: handler } = openApiRoutes({ config });
  const accepting = (encoding: string) =>
    ({ req: { headers: {} }, acceptsEncodings: () => encoding }) as unknown as Context;
  for (const encoding of ['gzip', 'identity']) {
    const [first, second] = [handler(accepting(encoding)), handler(accepting(encoding))] as { readonly body: Buffer }[];
    assert.instance(first?.body, Buffer);
    assert.is(first?.body, second?.body);
  }
});

test.run();
