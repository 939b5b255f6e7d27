import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Api, exchangeBytes, withApi } from '../support/http.ts';

const EVENT = JSON.stringify({ channel: 'alerts', title: 'Done' });
const MANY = { limits: { burstPerMinute: 1_000 } };

/** A whole request that would be taken, were it not inside of another. */
function hidden({ key }: Api): string {
  return (
    `POST /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${EVENT.length}\r\n\r\n${EVENT}`
  );
}

function head({ key }: Api, ...fields: readonly string[]): string {
  const all = ['Host: x', `Authorization: Bearer ${key}`, 'Content-Type: application/json', ...fields];
  return `POST /api/v1/events HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`;
}

async function storedEvents(api: Api): Promise<unknown> {
  return (await api.request('/api/v1/usage', { key: api.key })).body.used;
}

/** Lengths that two readers could understand in two ways. */
const SHAPES: readonly (readonly string[])[] = [
  ['Content-Length: 4', 'Transfer-Encoding: chunked'],
  ['Transfer-Encoding: chunked', 'Content-Length: 4'],
  ['Content-Length: 0', 'Content-Length: 4'],
  ['Content-Length: 4', 'Content-Length: 4'],
  ['Content-Length: 0, 4'],
  ['Content-Length: +4'],
  ['Content-Length: -4'],
  ['Content-Length: 0x4'],
  ['Content-Length: 4 4'],
  ['Content-Length: 99999999999999999999'],
  ['Content-Length:', 'Content-Length: 4'],
  ['Content-Length : 4'],
  [' Content-Length: 4'],
  ['Transfer-Encoding: xchunked'],
  ['Transfer-Encoding: chunked, identity'],
  ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
  ['Transfer-Encoding: "chunked"'],
  ['Transfer-Encoding : chunked'],
  ['Transfer-Encoding:\x0bchunked'],
  ['X: a\nTransfer-Encoding: chunked'],
  ['X: a\rTransfer-Encoding: chunked'],
  ['X: a\0b'],
];

test('a request whose length could be read in two ways is refused, and so is all that stands behind it', () =>
  withApi(async (api) => {
    for (const fields of SHAPES) {
      const answers = await exchangeBytes(api.http.url, `${head(api, ...fields)}0\r\n\r\n${hidden(api)}`);
      const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      assert.equal(statuses, ['400'], JSON.stringify(fields));
    }
    assert.is(await storedEvents(api), 0);
  }, MANY));

test('chunks that are no chunks end their request, and nothing behind them is taken', () =>
  withApi(async (api) => {
    const chunked = head(api, 'Transfer-Encoding: chunked');
    for (const body of [
      `-1\r\n${EVENT}\r\n0\r\n\r\n`,
      `0x10\r\n${EVENT}\r\n0\r\n\r\n`,
      `${EVENT.length.toString(16)}\n${EVENT}\r\n0\r\n\r\n`,
      `${EVENT.length.toString(16)}\r\n${EVENT}0\r\n\r\n`,
      `FFFFFFFFFFFFFFFFF\r\n${EVENT}\r\n0\r\n\r\n`,
      `\r\n${EVENT}\r\n0\r\n\r\n`,
    ]) {
      const answers = await exchangeBytes(api.http.url, chunked + body + hidden(api));
      assert.equal(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400'], JSON.stringify(body));
    }
    assert.is(await storedEvents(api), 0);
  }, MANY));

test('bytes behind a body, or header fields of other programs, give no rights', () =>
  withApi(async (api) => {
    const size = EVENT.length.toString(16);
    const inTrailer =
      'POST /api/v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n' +
      `Trailer: Authorization\r\nConnection: close\r\n\r\n${size}\r\n${EVENT}\r\n0\r\nAuthorization: Bearer ${api.key}\r\n\r\n`;
    assert.match(await exchangeBytes(api.http.url, inTrailer), /^HTTP\/1\.1 401/);
    for (const headers of [
      { 'X-Authorization': `Bearer ${api.key}` },
      { 'Proxy-Authorization': `Bearer ${api.key}` },
      { Cookie: `Authorization=Bearer ${api.key}` },
      { Authorization: `Bearer ${api.key} ${api.key}` },
      { Authorization: `Bearer ${api.key},Bearer ${api.key}` },
    ]) {
      assert.is((await api.request('/api/v1/events', { method: 'POST', headers, body: EVENT })).status, 401);
    }
    const overridden = {
      'X-HTTP-Method-Override': 'POST',
      'X-Original-URL': '/api/v1/usage',
      'X-Rewrite-URL': '/healthz',
    };
    assert.is((await api.request('/api/v1/nowhere', { headers: overridden })).status, 404);
    assert.is(await storedEvents(api), 0);
  }, MANY));

test('a flood of header fields or of chunk extensions is refused', () =>
  withApi(async (api) => {
    const fields = Array.from({ length: 2_000 }, (_, at) => `X-${at}: ${at}`);
    assert.match(await exchangeBytes(api.http.url, head(api, ...fields)), /^HTTP\/1\.1 431/);
    const extended = `${head(api, 'Transfer-Encoding: chunked')}1;${'x'.repeat(20_000)}\r\n{\r\n`;
    assert.match(await exchangeBytes(api.http.url, extended), /^HTTP\/1\.1 413/);
  }, MANY));

test.run();
