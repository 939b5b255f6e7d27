import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProvenClients } from '../../../src/http/limits/proven-clients.ts';
import { startHttp } from '../../../src/http/listeners/listener.ts';
import { createLog } from '../../../src/server/log.ts';
import { type Api, apiTest, exchangeBytes, withApi } from '../../support/http.ts';
import { problemIn } from '../../support/problem.ts';
import { openRaw } from '../../support/raw.ts';
import { granted } from '../../support/refusals.ts';
import { until } from '../../support/until.ts';

const EVENT = JSON.stringify({ channel: 'alerts', title: 'Done' });
const IMPATIENT = { headersMs: 50, requestMs: 60, keepAliveMs: 100, unreadMs: 120_000, checkMs: 10 };
const HOUR_MS = 3_600_000;
const PATIENT = { headersMs: HOUR_MS, requestMs: HOUR_MS, keepAliveMs: HOUR_MS, unreadMs: HOUR_MS, checkMs: 1_000 };

function postBytes(api: Api, body = EVENT): string {
  return (
    `POST /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

function statusesOf(answers: string): readonly string[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
}

/** A raw answer as its status and its JSON. */
function parse(answer: string): { status: string; code: unknown; head: string } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: statusesOf(head)[0] ?? '', code: JSON.parse(body).code, head };
}

async function open(api: Api): Promise<Socket> {
  const socket = connect(Number(new URL(api.http.url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

function tryToListen(
  listen: { host: string; port: number },
  trusted: string[] = [],
  handler: RequestListener = (_, response) => void response.end(),
) {
  const log = createLog('error', { write: () => undefined });
  return startHttp({
    handler,
    config: { listen, tls: null, proxy: { trusted }, limits: { connectionsPerAddress: 512 } },
    log,
    proven: new ProvenClients(),
    timeouts: PATIENT,
  });
}

apiTest('bytes that are not HTTP are answered in JSON', async (api) => {
  for (const bytes of [
    'nonsense\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
  ]) {
    const { status, code, head } = parse(await exchangeBytes(api.http.url, bytes));
    assert.equal([status, code], ['400', 'invalid_request'], bytes);
    assert.match(head, /X-Request-Id: [0-9a-f-]{36}/);
    assert.match(head, /Connection: close/);
  }
});

apiTest('header fields that are too large are answered 431', async (api) => {
  const answer = await exchangeBytes(api.http.url, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
  assert.is(parse(answer).code, 'headers_too_large');
});

apiTest('a request without Host is answered 400, and CONNECT 404', async (api) => {
  const answer = await exchangeBytes(api.http.url, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
  assert.is(parse(answer).code, 'invalid_request');
  assert.is(parse(await exchangeBytes(api.http.url, 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n')).status, '404');
});

apiTest('pipelined requests are answered in order', async (api) => {
  const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  const last = 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const answers = await exchangeBytes(api.http.url, postBytes(api) + health + postBytes(api, '{}') + last);
  assert.equal(statusesOf(answers), ['202', '200', '422', '404']);
});

apiTest('nonsense behind a request does not overtake its answer', async (api) => {
  assert.equal(statusesOf(await exchangeBytes(api.http.url, `${postBytes(api)}nonsense\r\n\r\n`)), ['202', '400']);
});

apiTest('header fields or a body that come too slowly are answered 408', { timeouts: IMPATIENT }, async (api) => {
  assert.is(parse(await exchangeBytes(api.http.url, 'GET /healthz HTTP/1.1\r\nHost:')).code, 'request_timeout');
  const headAndHalf = postBytes(api).slice(0, -5);
  assert.is(parse(await exchangeBytes(api.http.url, headAndHalf)).code, 'request_timeout');
  assert.equal(granted(await api.store.listEvents({ workspace: 'acme', limit: 1 })).events, []);
});

apiTest('a connection on which nothing is sent is closed', { timeouts: IMPATIENT }, async (api) => {
  const socket = await open(api);
  assert.match(await readText(socket), /^HTTP\/1\.1 408/);
});

test('a stop finishes running requests, and takes no new ones', async () => {
  const gate = Promise.withResolvers<null>();
  const asked = Promise.withResolvers<void>();
  const readEvent = () => {
    asked.resolve();
    return gate.promise;
  };
  await withApi(
    async (api) => {
      const idle = await open(api);
      idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(idle, 'data');
      const answer = api.request('/api/v1/events/evt_1', { key: api.key });
      await asked.promise;
      const closed = api.http.close(60_000);
      await once(idle, 'close');
      await assertRefused(api);
      gate.resolve(null);
      assert.is((await answer).status, 404);
      assert.is((await answer).headers.connection, 'close');
      await closed;
    },
    { store: { readEvent } },
  );
});

apiTest('a stop that others take over from lets each connection ask once more, and takes no new one', async (api) => {
  const [idle, silent] = [await open(api), await open(api)];
  idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(idle, 'data');
  const closed = api.http.close(60_000, 60_000);
  await assertRefused(api);
  for (const socket of [idle, silent]) {
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.match(await readText(socket), /^HTTP\/1\.1 200 OK.*Connection: close/s);
  }
  await closed;
});

apiTest('a stop does not wait for a connection that has asked nothing', async (api) => {
  const silent = await open(api);
  const half = await open(api);
  half.write('GET /healthz HTTP/1.1\r\nHost:');
  assert.is((await api.request('/healthz')).status, 200);
  const ends = [silent, half].map((socket) => once(socket.resume(), 'close'));
  await api.http.close(60_000);
  await Promise.all(ends);
});

test('requests that have not ended when the grace is over are cut off', async () => {
  const asked = Promise.withResolvers<void>();
  const readEvent = () => {
    asked.resolve();
    return new Promise<null>(() => undefined);
  };
  await withApi(
    async (api) => {
      const answer = api.request('/api/v1/events/evt_1', { key: api.key }).catch((error: Error) => error.message);
      await asked.promise;
      await api.http.close(1);
      assert.is(await answer, 'socket hang up');
    },
    { store: { readEvent } },
  );
});

async function assertRefused(api: Api): Promise<void> {
  await until('new connections to be refused', async () => {
    const refused = await open(api).catch((error: NodeJS.ErrnoException) => error.code);
    return refused === 'ECONNREFUSED';
  });
}

test('a taken port is a problem that says so', async () => {
  const first = await tryToListen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(first.url).port);
  const { message } = await problemIn(tryToListen({ host: '127.0.0.1', port }));
  assert.match(message, `127.0.0.1:${port} is in use by another process`);
  await first.close(0);
});

test('an address that is not of this machine is a problem that says so', async () => {
  assert.match(
    (await problemIn(tryToListen({ host: '192.0.2.1', port: 0 }, ['192.0.2.2']))).message,
    'not an address of this',
  );
});

test('a close waits for no connection that never asked, nor for one whose last response has ended', async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  const http = await tryToListen({ host: '127.0.0.1', port: 0 }, [], (_, response) => {
    response.writeHead(200, { 'Content-Length': 1 }).flushHeaders();
    asked.resolve(response);
  });
  const [silent, busy] = [await openRaw(http.url), await openRaw(http.url)];
  busy.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const response = await asked.promise;
  let isClosed = false;
  const closing = http.close(HOUR_MS).then(() => {
    isClosed = true;
  });
  for (const socket of [silent, busy]) socket.resume();
  await until('the end of the silent one', () => silent.closed, 30_000);
  assert.not(isClosed);
  response.end('x');
  await until('its end', () => isClosed, 30_000);
  await closing;
});

test('a close cuts off requests that have not ended in time', async () => {
  const asked = Promise.withResolvers<void>();
  const http = await tryToListen({ host: '127.0.0.1', port: 0 }, [], () => asked.resolve());
  const answer = exchangeBytes(http.url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n').catch(() => '');
  await asked.promise;
  await http.close(50);
  assert.is(await answer, '');
});

test('without TLS it listens on loopback only, unless a trusted proxy is named', async () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com', '127.example.com']) {
    const problem = await problemIn(tryToListen({ host, port: 0 }));
    assert.is(problem.exitCode, 2);
    assert.match(problem.message, 'tls.cert');
  }
  for (const host of ['127.0.0.1', 'localhost', '127.1.2.3']) await (await tryToListen({ host, port: 0 })).close(0);
  await (await tryToListen({ host: '0.0.0.0', port: 0 }, ['10.0.0.1'])).close(0);
});

test.run();
