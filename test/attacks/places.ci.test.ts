import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Api, exchangeBytes, withApi } from '../support/http.ts';
import { redirecting } from '../support/redirecting.ts';
import { Resources } from '../support/resources.ts';
import { withMail } from '../support/smtp.ts';
import { aPair } from '../support/tls-pair.ts';
import { until } from '../support/until.ts';

const BURST = { burstPerMinute: 1_000_000 };
const GOOD = '127.9.9.9';
const HALF_A_REQUEST = 'POST /api/v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{';
const MAIL = { subject: 'Disk full', text: 'db-1 has 2 GB left' };

interface Siege {
  readonly networks: number;
  readonly connections: number;
  /** The bytes sent on each connection. */
  readonly says?: string;
}

/** Keeps so many connections of each network open: the next one begins when one is closed. */
async function besiege(url: string, { networks, connections, says = '' }: Siege) {
  const held = new Set<Socket>();
  const { hostname: host, port } = new URL(url);
  let begun = 0;
  let isOver = false;
  const hold = (localAddress: string): void => {
    if (isOver) return;
    const socket = connect({ host, port: Number(port), localAddress });
    held.add(socket);
    socket
      .on('error', () => undefined)
      .on('connect', () => {
        begun += 1;
        socket.write(says);
      });
    socket.resume().once('close', () => {
      held.delete(socket);
      setImmediate(hold, localAddress);
    });
  };
  for (let network = 0; network < networks; network += 1) {
    const address = `127.1.${Math.floor(network / 250)}.${1 + (network % 250)}`;
    for (let count = 0; count < connections; count += 1) hold(address);
  }
  await until('the siege to stand', () => begun >= networks * connections || begun);
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      const ends = [...held].map((socket) => once(socket, 'close'));
      for (const socket of held) socket.destroy();
      await Promise.all(ends);
    },
  };
}

function postFrom(api: Api, localAddress: string): Promise<number> {
  const event = { channel: 'alerts', title: 'Done' };
  return api.post(event, { localAddress }).then(
    ({ status }) => status,
    () => 0,
  );
}

test('8 networks with 32 silent connections each do not hold the places for mail', () =>
  withMail({ limits: BURST }, async ({ smtp, send }) => {
    await using _siege = await besiege(`smtp://127.0.0.1:${smtp.at?.port}`, { networks: 8, connections: 32 });
    for (let count = 0; count < 20; count += 1) assert.match(await send(MAIL), /^250/);
  }));

test('400 networks with a connection each leave mail to a network whose key was good', () =>
  withMail({ limits: BURST }, async ({ smtp, send }) => {
    assert.match(await send(MAIL), /^250/);
    await using _siege = await besiege(`smtp://127.0.0.1:${smtp.at?.port}`, { networks: 400, connections: 1 });
    for (let count = 0; count < 20; count += 1) assert.match(await send(MAIL), /^250/);
  }));

const FEW = { maxConnections: 64, limits: { ...BURST, connectionsPerAddress: 8 } };

test('8 networks with 8 silent connections each do not hold 64 places for HTTP, nor do half requests', () =>
  withApi(async (api) => {
    for (const says of ['', HALF_A_REQUEST]) {
      await using _siege = await besiege(api.http.url, { networks: 8, connections: 8, says });
      for (let count = 0; count < 20; count += 1) assert.is(await postFrom(api, GOOD), 202);
    }
  }, FEW));

test('200 networks with a connection each leave HTTP to a network whose key was good', () =>
  withApi(async (api) => {
    assert.is(await postFrom(api, GOOD), 202);
    await using _siege = await besiege(api.http.url, { networks: 200, connections: 1, says: HALF_A_REQUEST });
    for (let count = 0; count < 20; count += 1) assert.is(await postFrom(api, GOOD), 202);
  }, FEW));

test('connections whose TLS handshake does not end give way as well', async () => {
  const { ca, files } = await aPair();
  await withApi(
    async (api) => {
      // The head of a record that has 4 kB, of which the first come.
      await using _siege = await besiege(api.http.url, {
        networks: 8,
        connections: 8,
        says: '\x16\x03\x01\x10\x00\x01',
      });
      for (let count = 0; count < 10; count += 1) {
        const { status } = await api.post({ channel: 'alerts', title: 'Done' }, { ca, localAddress: GOOD });
        assert.is(status, 202);
      }
    },
    { ...FEW, tls: files },
  );
});

test('a connection that has sent a good key stays while strangers come', () =>
  withApi(async (api) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(api.http.url).port), localAddress: GOOD });
    const ask = async () => {
      socket.write(`GET /api/v1/usage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n\r\n`);
      const [bytes] = await once(socket, 'data');
      assert.match(String(bytes), /^HTTP\/1\.1 200/);
    };
    await ask();
    await using _siege = await besiege(api.http.url, { networks: 100, connections: 2 });
    await ask();
    socket.destroy();
  }, FEW));

test('32 networks with 32 silent connections each do not hold port 80', async () => {
  await using opened = new Resources();
  const url = await redirecting(opened);
  await using _siege = await besiege(url, { networks: 32, connections: 32 });
  for (let count = 0; count < 20; count += 1) {
    assert.match(await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 308 /);
  }
});

test.run();
