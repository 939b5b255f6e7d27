import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { type Api, exchangeBytes, type RequestOptions, apiTest as test } from '../../support/http.ts';
import { until } from '../../support/until.ts';

function answerTo(api: Api, options: RequestOptions) {
  return api.request('/api/v1/session', { method: 'POST', ...options });
}

test('a field __proto__ is as unknown as any other, and brings no fields with it', async (api) => {
  const missing = await answerTo(api, { body: '{"other": {"email": "x", "password": "x"}}' });
  const { status, body } = await answerTo(api, { body: '{"__proto__": {"email": "x", "password": "x"}}' });
  assert.equal([status, body], [422, missing.body]);
});

test('a compressed body is a 415 that says so', async (api) => {
  const reply = await answerTo(api, { headers: { 'Content-Encoding': 'gzip' }, body: gzipSync('{}') });
  assert.equal([reply.status, reply.headers['accept-encoding']], [415, 'identity']);
  assert.equal(reply.body, {
    message: 'The body must not be compressed.',
    code: 'unsupported_encoding',
    details: [{ code: 'body_compressed', params: {} }],
  });
});

test('text beyond ASCII arrives as it was sent', async (api) => {
  const { body } = await answerTo(api, { body: { email: 'é😀'.repeat(200), password: 'x' } });
  assert.equal(body.errors, { email: ['The email field must not be greater than 254 characters.'] });
  assert.is((await answerTo(api, { body: { email: 'é😀'.repeat(127), password: 'x' } })).status, 401);
});

test('a body beyond 64 KiB is answered 413, even if its length is not declared', async (api) => {
  assert.is((await answerTo(api, { body: { email: 'x'.repeat(65_500) } })).status, 422);
  assert.is((await answerTo(api, { body: { email: 'x'.repeat(70_000) } })).status, 413);
  const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
  const head = 'POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const answer = await exchangeBytes(
    api.http.url,
    `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1\.1 413/);
});

test('a request that expects 100-continue gets it', async (api) => {
  const answer = await exchangeBytes(
    api.http.url,
    'POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n' +
      'Expect: 100-continue\r\nConnection: close\r\n\r\n{}',
  );
  assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 422/);
});

test('a body that is broken off ends its request', async (api) => {
  const socket = connect(Number(new URL(api.http.url).port), '127.0.0.1');
  const head = 'POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n';
  socket.write(`${head}Expect: 100-continue\r\n\r\n{`);
  await once(socket, 'data');
  socket.destroy();
  await until('a line with 400', () => /"status":400/.test(api.log()));
});

test.run();
