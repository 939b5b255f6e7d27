import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Api, withApi } from '../support/http.ts';
import { firstBytes, openRaw } from '../support/raw.ts';
import { untilIs } from '../support/until.ts';

const HALF = '{"email": "ada@example.com", "pass';
const REST = 'word": "wrong"}';
const NEVER_MS = 3_600_000;

function signInHead(length = HALF.length + REST.length): string {
  return `POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

/** A sign-in of which half has been sent. */
async function halfSignIn(api: Api, address: string): Promise<Socket> {
  const socket = await openRaw(api.http.url, address);
  socket.write(signInHead() + HALF);
  return socket;
}

test('bodies on their way keep no other client out', () =>
  withApi(
    async (api) => {
      // While the key is looked up for the first time, a request does count.
      assert.is((await api.post({ channel: 'alerts', title: 'Done' })).status, 202);
      const head =
        `POST /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
      const events = await Promise.all(Array.from({ length: 10 }, () => openRaw(api.http.url)));
      for (const socket of events) socket.write(head);
      const signIns = await Promise.all(Array.from({ length: 10 }, () => halfSignIn(api, '127.0.0.2')));
      for (let turn = 0; turn < 5; turn += 1) {
        assert.is((await api.post({ channel: 'alerts', title: 'Done' })).status, 202);
      }
      const first = await halfSignIn(api, '127.0.0.2');
      const answer = firstBytes(first);
      first.write(REST);
      assert.match((await answer) ?? '', /^HTTP\/1\.1 401/);
      for (const socket of [...events, ...signIns, first]) socket.destroy();
    },
    { maxInFlight: 1 },
  ));

test('a stranger whose body does not come is answered 408 soon, and parted with, and its bytes are let go', () =>
  withApi(
    async (api) => {
      const slow = await halfSignIn(api, '127.0.0.2');
      assert.match((await firstBytes(slow)) ?? '', /^HTTP\/1\.1 408[\s\S]*Connection: close/);
      await once(slow.resume(), 'close');
      await untilIs('no body to be held', () => api.bodies.bytes, 0);
    },
    // No general time-out may answer in its place.
    {
      timeouts: { headersMs: NEVER_MS, requestMs: NEVER_MS, keepAliveMs: NEVER_MS, unreadMs: NEVER_MS, checkMs: 1_000 },
    },
  ));

test('an event without a key is refused before its body has come', () =>
  withApi(async (api) => {
    const stranger = await openRaw(api.http.url);
    stranger.write(
      'POST /api/v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{',
    );
    assert.match((await firstBytes(stranger)) ?? '', /^HTTP\/1\.1 401/);
    stranger.destroy();
  }));

test('health is reported however much there is to do, and the store is asked once for all who ask', async () => {
  const gate = Promise.withResolvers<null>();
  const asked = Promise.withResolvers<void>();
  let pings = 0;
  const readEvent = () => {
    asked.resolve();
    return gate.promise;
  };
  const ping = async () => {
    pings += 1;
    await gate.promise;
    return { version: '0', schema: 0, displaced: null };
  };
  await withApi(
    async (api) => {
      const busy = api.request('/api/v1/events/evt_1', { key: api.key });
      await asked.promise;
      assert.is((await api.request('/api/openapi.json')).status, 503);
      await untilIs('it is ready', async () => (await api.request('/readyz')).status, 200);
      const asking = Array.from({ length: 20 }, () => api.request('/healthz'));
      await api.request('/readyz');
      gate.resolve(null);
      for (const { status } of await Promise.all(asking)) assert.is(status, 200);
      assert.ok(pings < 20, `${pings} pings`);
      await busy;
    },
    { maxInFlight: 1, store: { readEvent, ping } },
  );
});

test.run();
