import { once } from 'node:events';
import { Agent } from 'node:https';
import net from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aSandbox } from '../support/sandbox.ts';
import { connectApns, fetchAccessToken, postApnsOnce, postFcm } from '../support/vendor-clients.ts';

test('a refused listener cuts its connections, and listens on the same port again afterwards', async () => {
  await using sandbox = await aSandbox();
  const url = sandbox.apns.productionUrl;
  const { session } = await connectApns(url, sandbox);
  const closed = once(session, 'close');
  await sandbox.setOutage('apns_production', 'refused');
  await closed;
  assert.is(await connectError(url), 'ECONNREFUSED');
  await sandbox.setOutage('apns_production', 'none');
  const answer = await postApnsOnce(sandbox, url, sandbox.token({ platform: 'ios' }));
  assert.is(answer.status, 200);
});

test('a black hole takes connections and bytes but says nothing', async () => {
  await using sandbox = await aSandbox();
  await sandbox.setOutage('fcm', 'black_hole');
  const socket = net.connect(Number(new URL(sandbox.fcm.url).port), '127.0.0.1');
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
  });
  await once(socket, 'connect');
  socket.end('\x16\x03\x01');
  await once(socket, 'end');
  assert.is(received, 0);
});

test('the token endpoint can be down alone', async () => {
  await using sandbox = await aSandbox();
  const accessToken = await fetchAccessToken(sandbox);
  await sandbox.setOutage('oauth', 'refused');
  const error = await fetchAccessToken(sandbox).catch((thrown: NodeJS.ErrnoException) => thrown.code);
  const answer = await sendOne(sandbox, accessToken);
  assert.is(error, 'ECONNREFUSED');
  assert.is(answer.status, 200);
});

test('FCM keeps a connection alive between requests', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: sandbox.caPem });
  opened.onEnd(() => agent.destroy());
  const accessToken = await fetchAccessToken(sandbox);
  const first = await sendOne(sandbox, accessToken, agent);
  const second = await sendOne(sandbox, accessToken, agent);
  assert.equal([first.headers.connection, second.headers.connection], ['keep-alive', 'keep-alive']);
  assert.is(Object.values(agent.freeSockets).flat().length, 1);
});

test.run();

function sendOne(sandbox: Sandbox, accessToken: string, agent?: Agent) {
  const message = { token: sandbox.token({ platform: 'android' }) };
  return postFcm(sandbox, { message }, { accessToken, ...(agent !== undefined && { agent }) });
}

async function connectError(url: string): Promise<string | undefined> {
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
  const [error] = await once(socket, 'error');
  return error.code;
}
