import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Api, type ApiOptions, withApi } from '../support/http.ts';
import { firstBytes, openRaw } from '../support/raw.ts';
import { until, untilIs } from '../support/until.ts';

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const USAGE = 'GET /api/v1/usage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ';
const TIMEOUTS = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 65_000, unreadMs: 120_000, checkMs: 5 };
const FOUR: ApiOptions = { limits: { connectionsPerAddress: 4 }, timeouts: TIMEOUTS };

function openMany(api: Api, count: number, address: string): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => openRaw(api.http.url, address)));
}

/** Whether a connection is answered on, with a key if there is one. */
async function works(socket: Socket, key?: string): Promise<boolean> {
  const first = firstBytes(socket);
  socket.write(key === undefined ? HEALTH : `${USAGE}${key}\r\n\r\n`);
  return (await first)?.startsWith('HTTP/1.1 200') ?? false;
}

/** Begins an answer on each that does not end before the gate opens. */
function busyStore() {
  const gate = Promise.withResolvers<null>();
  let asked = 0;
  const readEvent = () => {
    asked += 1;
    return gate.promise;
  };
  return { gate, asked: () => asked, store: { readEvent } };
}

test('a client with more connections than allowed loses its idle ones', () =>
  withApi(async (api) => {
    const greedy = await openMany(api, 20, '127.0.0.2');
    await until('only four to be left', () => greedy.filter(({ destroyed }) => !destroyed).length === 4);
    assert.ok(await works(await openRaw(api.http.url, '127.0.0.2')));
    assert.ok(await works(await openRaw(api.http.url, '127.0.0.3')));
  }, FOUR));

test('a client whose connections are all busy gets no more, and others do', async () => {
  const { gate, asked, store } = busyStore();
  await withApi(
    async (api) => {
      const busy = await openMany(api, 4, '127.0.0.2');
      const read = `GET /api/v1/events/evt_1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n\r\n`;
      for (const socket of busy) socket.write(read);
      await untilIs('all to be busy', () => asked(), 4);
      assert.not(await works(await openRaw(api.http.url, '127.0.0.2')));
      assert.ok(await works(await openRaw(api.http.url, '127.0.0.3')));
      assert.match(api.log(), 'too many connections');
      const answers = busy.map((socket) => firstBytes(socket));
      gate.resolve(null);
      for (const answer of await Promise.all(answers)) assert.match(answer ?? '', /^HTTP\/1\.1 404/);
    },
    { ...FOUR, store },
  );
});

test('when places run out, the connection of a good client that was idle for longest goes first', () =>
  withApi(
    async (api) => {
      const good = async (address: string) => {
        const socket = await openRaw(api.http.url, address);
        assert.ok(await works(socket, api.key));
        return socket;
      };
      const [old, used] = [await good('127.0.0.2'), await good('127.0.0.3')];
      const others = [await good('127.0.0.4'), await good('127.0.0.4')];
      const startedMs = performance.now();
      await until('some time to have passed', async () => {
        for (const socket of [used, ...others]) assert.ok(await works(socket, api.key));
        return performance.now() - startedMs > 50;
      });
      const gone = once(old.resume(), 'close');
      assert.ok(await works(await openRaw(api.http.url, '127.0.0.5')));
      await gone;
      assert.ok(await works(used));
    },
    { maxConnections: 4, timeouts: TIMEOUTS, limits: { burstPerMinute: 1_000_000 } },
  ));

test('the connections of a trusted proxy are those of many clients', () =>
  withApi(
    async (api) => {
      const proxied = await openMany(api, 20, '127.0.0.2');
      for (const socket of proxied) assert.ok(await works(socket));
    },
    { ...FOUR, trusted: ['127.0.0.2'] },
  ));

test('line breaks without end behind a response end the connection', () =>
  withApi(
    async (api) => {
      const socket = await openRaw(api.http.url);
      assert.ok(await works(socket));
      await until('the server to have hung up', () => {
        socket.write('\r\n'.repeat(5_000));
        return socket.destroyed || socket.bytesWritten;
      });
      const modest = await openRaw(api.http.url);
      for (let turn = 0; turn < 5; turn += 1) {
        modest.write('\r\n'.repeat(1_000));
        assert.ok(await works(modest));
      }
      modest.destroy();
    },
    { timeouts: TIMEOUTS },
  ));

test.run();
