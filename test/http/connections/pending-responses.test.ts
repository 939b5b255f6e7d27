import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProvenClients } from '../../../src/http/limits/proven-clients.ts';
import { startHttp } from '../../../src/http/listeners/listener.ts';
import { createLog } from '../../../src/server/log.ts';

const STRANGERS = 120;
const PROVEN_NETWORK = '127.0.3.9';

test('strangers take turns, and delay no request of a connection or a network with a good key', async () => {
  const proven = new ProvenClients();
  proven.addNetwork(PROVEN_NETWORK);
  const acted: string[] = [];
  let [inTurn, mostInTurn] = [0, 0];
  const http = await startHttp({
    handler(request, response) {
      acted.push(request.url ?? '');
      if (request.url === '/good') proven.addRequest(request);
      else if (++inTurn === 1) setImmediate(() => ([mostInTurn, inTurn] = [Math.max(mostInTurn, inTurn), 0]));
      response.end('answered');
    },
    config: {
      listen: { host: '127.0.0.1', port: 0 },
      tls: null,
      proxy: { trusted: [] },
      limits: { connectionsPerAddress: 512 },
    },
    log: createLog('error', { write: () => undefined }),
    proven,
  });
  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(http.url).port), localAddress });
    await once(socket, 'connect');
    return socket;
  };
  const ask = async (socket: Socket, path: string): Promise<void> => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'data');
  };
  const strangers = await Promise.all(Array.from({ length: STRANGERS }, () => open('127.0.3.1')));
  const good = [await open('127.0.3.2'), await open(PROVEN_NETWORK)] as const;
  await ask(good[0], '/good');
  await Promise.all([
    ...strangers.map((socket) => ask(socket, '/strange')),
    ...good.map((socket) => ask(socket, '/good')),
  ]);
  await http.close(0);
  assert.is(acted.length, STRANGERS + 3);
  assert.ok(mostInTurn <= 4, `${mostInTurn} in one turn of the event loop`);
  assert.ok(acted.lastIndexOf('/good') < STRANGERS / 2, `after ${acted.lastIndexOf('/good')} others`);
});

test.run();
