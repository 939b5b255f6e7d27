import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OrderJob } from '../../src/acme/order.ts';
import { makeAccountKey } from '../../src/acme/run-order.ts';
import { packagePath } from '../../src/process/package.ts';
import { Resources } from '../support/resources.ts';

/** Less than what a request to an authority may take. */
const SOON_MS = 15_000;
const SERVER = `
import { runOrder } from ${JSON.stringify(packagePath('dist', 'src', 'acme', 'run-order.js'))};
process.on('SIGINT', () => {});
const shown = { show() {}, clear() {} };
const { problem } = await runOrder(JSON.parse(process.argv[1]), shown, new AbortController().signal);
console.log(problem.sentence);
`;

test('The process that asks ends with a server that is killed', async () => {
  await using opened = new Resources();
  const { server, asking } = await anOrder(opened);
  server.kill('SIGKILL');
  await once(asking.resume(), 'close', { signal: AbortSignal.timeout(SOON_MS) });
});

test('Ctrl+C at a terminal reaches only the server, and the server ends the order', async () => {
  await using opened = new Resources();
  const { server, asking } = await anOrder(opened);
  process.kill(-Number(server.pid), 'SIGINT');
  const output = once(server.stdout as NodeJS.ReadableStream, 'data');
  // To a process that is no more, it would make no difference.
  setImmediate(() => asking.destroy());
  assert.match(String((await output)[0]), /^cannot reach 127\.0\.0\.1:\d+: /);
});

test.run();

/** A server's process, and the connection of the one that asks to an authority that never answers. */
async function anOrder(opened: Resources): Promise<{ server: ChildProcess; asking: Socket }> {
  const authority = createServer().listen(0, '127.0.0.1');
  await once(authority, 'listening');
  opened.onEnd(() => authority.close());
  const { port } = authority.address() as AddressInfo;
  const job: OrderJob = {
    settings: { domains: ['push.example.com'], contact: null, directory: `https://127.0.0.1:${port}/directory` },
    ca: null,
    accountKey: makeAccountKey(),
    replaces: null,
    challenges: ['tls-alpn-01'],
    pollMs: 10,
  };
  const args = ['--input-type=module', '-e', SERVER, JSON.stringify(job)];
  const server = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  opened.onEnd(() => server.kill('SIGKILL'));
  const [asking] = (await once(authority, 'connection')) as [Socket];
  asking.on('error', () => {});
  opened.onEnd(() => asking.destroy());
  return { server, asking };
}
