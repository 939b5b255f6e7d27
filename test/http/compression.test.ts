import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { readSchema } from '../../src/contract/schemas.ts';
import { type Api, getBytes, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';

const EVENTS = 20;

/** With enough in the list to be worth it. */
async function withEvents(use: (api: Api) => Promise<void>): Promise<void> {
  await withApi(async (api) => {
    for (let n = 0; n < EVENTS; n += 1) {
      assert.is((await api.post({ channel: 'alerts', title: `Disk full on db-${n}` })).status, 202);
    }
    await use(api);
  });
}

const list = (api: Api, accepts: string | null, { path = '/api/v1/events', method = 'GET' } = {}) =>
  getBytes(api, path, { Authorization: `Bearer ${api.key}`, ...(accepts && { 'Accept-Encoding': accepts }) }, method);

test('A long answer comes compressed to clients that take gzip, and says that others get it otherwise', () =>
  withEvents(async (api) => {
    const plain = await list(api, null);
    for (const accepts of ['gzip, deflate, br, zstd', 'gzip', '*']) {
      const { status, headers, body } = await list(api, accepts);
      assert.equal([status, headers['content-encoding'], headers.vary], [200, 'gzip', 'Accept-Encoding'], accepts);
      assert.is(Number(headers['content-length']), body.length);
      assert.ok(body.length < plain.body.length / 3, `${body.length} of ${plain.body.length} bytes`);
      assert.is(gunzipSync(body).toString(), plain.body.toString());
      assert.is(headers['content-type'], plain.headers['content-type']);
    }
    for (const accepts of [null, 'identity', 'gzip;q=0', 'br']) {
      const { headers, body } = await list(api, accepts);
      assert.equal([headers['content-encoding'], headers.vary], [undefined, 'Accept-Encoding'], String(accepts));
      assert.is(body.toString(), plain.body.toString());
    }
  }));

test('HEAD says how long the compressed answer is, and has none', () =>
  withEvents(async (api) => {
    const { headers: got } = await list(api, 'gzip');
    const { headers, body } = await list(api, 'gzip', { method: 'HEAD' });
    assert.equal([headers['content-encoding'], headers['content-length']], ['gzip', got['content-length']]);
    assert.is(body.length, 0);
  }));

test('A short answer and an error stay as they are', () =>
  withEvents(async (api) => {
    for (const path of ['/api/v1/events?limit=1', '/api/v1/events?limit=x', '/api/v1/usage']) {
      assert.is((await list(api, 'gzip', { path })).headers['content-encoding'], undefined, path);
    }
  }));

test('Heartbeats are never compressed, because their addresses are secrets beside names that others choose', () =>
  withApi(async (api) => {
    for (let n = 0; n < 10; n += 1) {
      const args = { workspace: 'acme', channel: 'alerts', slug: `backup-${n}` };
      granted(await api.store.createHeartbeat(args));
    }
    const { headers, body } = await list(api, 'gzip', { path: '/api/v1/heartbeats' });
    assert.ok(body.length > 1_024);
    assert.is(headers['content-encoding'], undefined);
  }));

test('An operation that reads a secret is one whose answers are not compressed', () => {
  const reads = OPERATIONS.filter(({ method }) => method === 'get');
  const withSecret = reads.filter(({ answers }) => answers[200]?.schema && hasSecret(answers[200].schema));
  assert.ok(withSecret.length > 0, 'some are found');
  assert.equal(
    withSecret.map(({ operationId }) => operationId).sort(),
    reads.flatMap(({ operationId, uncompressed }) => (uncompressed ? [operationId] : [])).sort(),
  );
});

test.run();

/** Whether the schema, or one that it refers to, has a field that only the one who asks may know, an address included. */
function hasSecret(name: string, seen = new Set<string>()): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  const text = JSON.stringify(readSchema(name));
  if (/"(ping_url|url|key|token|secret|pairing_code|endpoint)":{[^{}]*"type":"string"/.test(text)) return true;
  return [...text.matchAll(/"\$ref":"([\w-]+)(?:\.json)?[^"]*"/g)].some(([, other]) => hasSecret(String(other), seen));
}
