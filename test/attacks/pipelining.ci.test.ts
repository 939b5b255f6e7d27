import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { text as readText } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Api, exchangeBytes, withApi } from '../support/http.ts';
import { openRaw } from '../support/raw.ts';
import { aPair } from '../support/tls-pair.ts';
import { until } from '../support/until.ts';

const DOCUMENT = 'GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
const NOWHERE = 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n';
const LAST = 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const PATIENT = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 65_000, unreadMs: 120_000, checkMs: 2_000 };

/** How many requests were answered so far, by their status. */
function answered({ log }: Api, status: number): number {
  return log().split(`"status":${status}`).length - 1;
}

/** Counts the requests that Node has parsed from now on: all, and the most in one turn of the event loop. */
function countParsed() {
  let inTurn = 0;
  const counted = { all: 0, mostInTurn: 0, stop: () => unsubscribe('http.server.request.start', count) };
  const count = (): void => {
    if (inTurn === 0) {
      setImmediate(() => {
        counted.mostInTurn = Math.max(counted.mostInTurn, inTurn);
        inTurn = 0;
      });
    }
    inTurn += 1;
    counted.all += 1;
  };
  subscribe('http.server.request.start', count);
  return counted;
}

/** Sends these bytes, and gives what comes back until the connection ends, by a reset too. */
async function flood(url: string, bytes: string, localAddress?: string): Promise<string> {
  const socket = await openRaw(url, localAddress);
  let answers = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answers += text;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answers;
}

async function openSecure(url: string, ca: string): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(url);
  const socket = connectTls({ host, port: Number(port), ca });
  await once(socket, 'secureConnect');
  return socket;
}

function statusesIn(answers: string): readonly string[] {
  return answers.match(/HTTP\/1\.1 \d+/g) ?? [];
}

test('the requests of a connection are acted on one after another', async () => {
  const gate = Promise.withResolvers<null>();
  let asked = 0;
  const readEvent = () => {
    asked += 1;
    return gate.promise;
  };
  await withApi(
    async (api) => {
      const read = `GET /api/v1/events/evt_1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n\r\n`;
      const answers = exchangeBytes(api.http.url, read.repeat(15) + LAST);
      await until('the first to be asked', () => asked > 0 || asked);
      await api.request('/healthz');
      assert.is(asked, 1);
      gate.resolve(null);
      assert.is(statusesIn(await answers).length, 16);
      assert.is(asked, 15);
    },
    { store: { readEvent } },
  );
});

test('a connection that pipelines more than 16 requests gets the responses to the first 16, and ends', async () => {
  const { ca, files } = await aPair();
  for (const tls of [null, files]) {
    await withApi(
      async (api) => {
        const socket = tls === null ? await openRaw(api.http.url) : await openSecure(api.http.url, ca);
        const answers = readText(socket);
        socket.write(NOWHERE.repeat(17));
        const text = await answers;
        assert.equal(statusesIn(text), Array(16).fill('HTTP/1.1 404'));
        assert.match(text.slice(text.lastIndexOf('HTTP/1.1')), /\r\nConnection: close\r\n/i);
        assert.is(answered(api, 404), 16);
      },
      { tls },
    );
  }
});

test('a connection may go on to pipeline 16 requests at a time', () =>
  withApi(async (api) => {
    const socket = await openRaw(api.http.url);
    let answers = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answers += text;
    });
    for (let turn = 1; turn <= 5; turn += 1) {
      socket.write(NOWHERE.repeat(16));
      await until('the answers', () => statusesIn(answers).length === 16 * turn || statusesIn(answers).length);
    }
    socket.destroy();
  }));

test('the server parses 16 of ten thousand requests at once, and ends the connection', () =>
  withApi(async (api) => {
    const parsed = countParsed();
    const answers = await flood(api.http.url, NOWHERE.repeat(10_000));
    parsed.stop();
    assert.is(parsed.all, 16);
    assert.equal(statusesIn(answers), Array(16).fill('HTTP/1.1 404'));
    assert.is((await api.post({ channel: 'alerts', title: 'Done' })).status, 202);
  }));

test('a client that does not read responses is not read from', () =>
  withApi(async (api) => {
    const floods = await Promise.all(Array.from({ length: 5 }, async () => (await openRaw(api.http.url)).pause()));
    for (const flood of floods) flood.write(DOCUMENT.repeat(16));
    let before = -1;
    await until('the flood to come to a halt', async () => {
      const isSame = before === answered(api, 200);
      before = answered(api, 200);
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
      for (const flood of floods) flood.write(DOCUMENT);
      return isSame;
    });
    assert.ok(before < 400, `${before} documents were made for no client`);
    assert.is((await api.post({ channel: 'alerts', title: 'Done' })).status, 202);
    for (const flood of floods) flood.destroy();
  }));

test('a flood of requests from many networks costs the flood its connections, and no other client', () =>
  withApi(async (api) => {
    const modest = exchangeBytes(api.http.url, NOWHERE.repeat(10) + LAST);
    const floods = Array.from({ length: 30 }, (_, at) =>
      flood(api.http.url, NOWHERE.repeat(1_500), `127.0.0.${at + 2}`),
    );
    assert.is((await api.post({ channel: 'alerts', title: 'Done' })).status, 202);
    assert.is(statusesIn(await modest).length, 11);
    for (const answers of await Promise.all(floods)) assert.is(statusesIn(answers).length, 16);
  }));

test('a burst on many connections does not fill a turn of the event loop', () =>
  withApi(async (api) => {
    const floods = await Promise.all(Array.from({ length: 300 }, () => openRaw(api.http.url, '127.0.0.2')));
    const parsed = countParsed();
    const ends = floods.map((socket) => once(socket.resume(), 'close'));
    for (const socket of floods) socket.write(NOWHERE.repeat(1_500));
    assert.is((await api.request('/healthz')).status, 200);
    await Promise.all(ends);
    parsed.stop();
    assert.ok(parsed.all < 300 * 16 + 10, `${parsed.all} requests were parsed`);
    assert.ok(parsed.mostInTurn < 6_000, `${parsed.mostInTurn} requests in one turn`);
  }));

test('an answer that is not read ends with its connection', () =>
  withApi(
    async (api) => {
      const lazy = (await openRaw(api.http.url)).pause();
      lazy.write(DOCUMENT.repeat(16));
      await until('the server to have hung up', () => {
        lazy.write('\r\n');
        return lazy.destroyed;
      });
      assert.is((await api.post({ channel: 'alerts', title: 'Done' })).status, 202);
    },
    { timeouts: { ...PATIENT, unreadMs: 100, checkMs: 20 } },
  ));

test('a request behind the last response of a connection is not handled', () =>
  withApi(async (api) => {
    const body = JSON.stringify({ channel: 'alerts', title: 'Done' });
    const post =
      `POST /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const answers = await exchangeBytes(api.http.url, LAST + post);
    assert.equal(statusesIn(answers), ['HTTP/1.1 404']);
    assert.is((await api.request('/api/v1/usage', { key: api.key })).body.used, 0);
  }));

test.run();
