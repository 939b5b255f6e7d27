import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyBudget } from '../../src/http/limits/body-budget.ts';
import { ProvenClients } from '../../src/http/limits/proven-clients.ts';
import { serveReaders } from '../../src/server/readers.ts';
import { clientOver } from '../../src/store/client.ts';
import { connectSocket } from '../../src/store/transports/socket-client.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { until, untilIs } from '../support/until.ts';

const test = suite('the memory of readers');
const MIB = 1_048_576;
const version = '1.0.0';
const PAGE = 'x'.repeat(MIB);
const HELLO = `${JSON.stringify({ hello: { version } })}\n`;

/** Readers whose every list has 1 MiB. */
async function withReaders(opened: Resources, totalBytes: number, idleMs?: number) {
  const path = join(temporaryFolder(), 'readers.sock');
  const bodies = new BodyBudget(totalBytes, new ProvenClients());
  const store = clientOver({ ask: async () => ({ kind: 'answer', answer: PAGE }), close: async () => {} });
  opened.add(await serveReaders({ path, store, version, bodies, ...(idleMs !== undefined && { idleMs }) }));
  return { path, bodies };
}

async function open(opened: Resources, path: string): Promise<Socket> {
  const socket = connect(path);
  opened.onEnd(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

test('Responses that no one reads count against the memory for bodies, and the fullest give way', async () => {
  await using opened = new Resources();
  const { path, bodies } = await withReaders(opened, 8 * MIB);
  const call = `${JSON.stringify({ id: 1, call: 'listEvents', args: { workspace: 'acme', limit: 1 } })}\n`;
  let most = 0;
  for (let count = 1; count <= 12; count += 1) {
    const socket = await open(opened, path);
    socket.write(HELLO + call);
    await until('its response', () => bodies.bytes >= Math.min(count, 3) * MIB || bodies.bytes);
    most = Math.max(most, bodies.bytes);
  }
  assert.ok(most <= 4 * MIB, `${most} bytes are held`);
  const reader = await connectSocket({ path, version });
  assert.is((await reader?.listEvents({ workspace: 'acme', limit: 1 })) as unknown, PAGE);
  await reader?.close();
  await opened[Symbol.asyncDispose]();
  await untilIs('nothing to be held', () => bodies.bytes, 0);
});

test('A reader without memory for its response is told so', async () => {
  await using opened = new Resources();
  const { path } = await withReaders(opened, MIB);
  const reader = await connectSocket({ path, version });
  const failed = await reader?.listEvents({ workspace: 'acme', limit: 1 }).catch(({ message }: Error) => message);
  assert.match(String(failed), 'overloaded');
});

test('A call that does not end counts as it comes', async () => {
  await using opened = new Resources();
  const { path, bodies } = await withReaders(opened, 8 * MIB);
  const socket = await open(opened, path);
  socket.write(`${HELLO}${'x'.repeat(50_000)}`);
  await until('it to be held', () => bodies.bytes > 50_000 || bodies.bytes);
  socket.destroy();
  await untilIs('nothing to be held', () => bodies.bytes, 0);
});

test('A connection on which nothing moves ends', async () => {
  await using opened = new Resources();
  const { path } = await withReaders(opened, 8 * MIB, 100);
  const socket = await open(opened, path);
  socket.resume();
  await once(socket, 'close');
});

test.run();
