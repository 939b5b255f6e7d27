import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Api, exchangeBytes, withApi } from '../support/http.ts';
import { openRaw } from '../support/raw.ts';
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
      const answers = exchangeBytes(api.http.url, read.repeat(20) + LAST);
      await until('the first to be asked', () => asked > 0 || asked);
      await api.request('/healthz');
      assert.is(asked, 1);
      gate.resolve(null);
      assert.is((await answers).match(/HTTP\/1\.1 404/g)?.length, 21);
      assert.is(asked, 20);
    },
    { store: { readEvent } },
  );
});

test('ten thousand requests at once on one connection are all answered, and others have their turns in between', () =>
  withApi(async (api) => {
    const flood = await openRaw(api.http.url);
    let received = '';
    flood.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
    });
    flood.write(NOWHERE.repeat(9_999) + LAST);
    await until('the flood to begin', () => answered(api, 404) > 0 || answered(api, 404));
    for (let turn = 0; turn < 5; turn += 1) {
      const before = answered(api, 404);
      // The HTTP thread alone answers this one: how long the store's thread waits for the machine is not in it.
      assert.is((await api.request('/api/openapi.json')).status, 200);
      assert.ok(answered(api, 404) - before < 2_000, `${answered(api, 404) - before} went before`);
    }
    await once(flood, 'close');
    assert.is(received.match(/HTTP\/1\.1 404/g)?.length, 10_000);
  }));

test('a client that does not read responses is not read from', () =>
  withApi(async (api) => {
    const floods = await Promise.all(Array.from({ length: 5 }, async () => (await openRaw(api.http.url)).pause()));
    for (const flood of floods) flood.write(DOCUMENT.repeat(1_500));
    let before = -1;
    await until('the flood to come to a halt', async () => {
      const isSame = before === answered(api, 200);
      before = answered(api, 200);
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
      return isSame;
    });
    assert.ok(before < 1_500, `${before} documents were made for no client`);
    assert.is((await api.post({ channel: 'alerts', title: 'Done' })).status, 202);
    for (const flood of floods) flood.destroy();
  }));

test('a flood of waiting requests from many networks costs the flood its connections, and no other client', () =>
  withApi(async (api) => {
    const modest = exchangeBytes(api.http.url, NOWHERE.repeat(10) + LAST);
    const floods = await Promise.all(Array.from({ length: 30 }, (_, at) => openRaw(api.http.url, `127.0.0.${at + 2}`)));
    const ends = floods.map((flood) => once(flood, 'close'));
    for (const flood of floods) flood.write(NOWHERE.repeat(1_500));
    await Promise.race(ends);
    assert.is((await api.post({ channel: 'alerts', title: 'Done' })).status, 202);
    assert.is((await modest).match(/HTTP\/1\.1 404/g)?.length, 11);
    for (const flood of floods) flood.destroy();
  }));

test('a burst on many connections does not fill a turn of the event loop, and a newcomer is not behind all of it', () =>
  withApi(async (api) => {
    const floods = await Promise.all(Array.from({ length: 60 }, () => openRaw(api.http.url, '127.0.0.2')));
    const parsed = countParsed();
    for (const flood of floods) flood.write(NOWHERE.repeat(1_500));
    await until('the flood to begin', () => parsed.all > 0 || parsed.all);
    assert.is((await api.request('/healthz')).status, 200);
    assert.ok(parsed.all < 60_000, `${parsed.all} requests were read before`);
    parsed.stop();
    assert.ok(parsed.mostInTurn < 6_000, `${parsed.mostInTurn} requests in one turn`);
    for (const flood of floods) flood.destroy();
  }));

test('a network that has flooded is parsed some hundred requests at a time from then on, and all are answered', () =>
  withApi(async (api) => {
    await exchangeBytes(api.http.url, NOWHERE.repeat(1_499) + LAST);
    const parsed = countParsed();
    const answers = await Promise.all([0, 1].map(() => exchangeBytes(api.http.url, NOWHERE.repeat(4_999) + LAST)));
    parsed.stop();
    assert.equal(
      answers.map((answer) => answer.match(/HTTP\/1\.1 404/g)?.length),
      [5_000, 5_000],
    );
    assert.is(parsed.all, 10_000);
    assert.ok(parsed.mostInTurn < 300, `${parsed.mostInTurn} requests in one turn`);
  }));

test('a body from a network that has flooded arrives whole', () =>
  withApi(async (api) => {
    await exchangeBytes(api.http.url, NOWHERE.repeat(1_499) + LAST);
    const filler = Array.from({ length: 10_000 }, (_, at) => at);
    assert.is((await api.post({ channel: 'alerts', title: 'Done', filler })).status, 202);
    const broken = await api.post(`${JSON.stringify(filler)}]`);
    assert.is(broken.status, 400);
  }));

test('an answer that is not read ends with its connection', () =>
  withApi(
    async (api) => {
      const lazy = (await openRaw(api.http.url)).pause();
      lazy.write(DOCUMENT.repeat(1_500));
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
    assert.equal(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 404']);
    assert.is((await api.request('/api/v1/usage', { key: api.key })).body.used, 0);
  }));

test.run();
