import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Context } from '../../src/http/request-state.ts';
import { getOpenApi } from '../../src/http/routes/openapi.ts';
import { withApi } from '../support/http.ts';
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

test('the description is written once, however often it is asked for', () => {
  const config = { ...INSTALLATION, baseUrl: 'https://push.example.com/api' };
  const handler = getOpenApi({ config });
  const ask = () => handler({ req: { headers: {} } } as Context);
  const [first, second] = [ask(), ask()] as { readonly body: Buffer }[];
  assert.instance(first?.body, Buffer);
  assert.is(first?.body, second?.body);
});

test.run();
