import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { get } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { heldSockets, NO_HELD_SOCKETS } from '../../src/config/held-sockets.ts';
import { temporaryFolder } from '../support/folder.ts';
import { descriptorOf, HELD_SERVER, holdFor, listening, withDescriptors } from '../support/held-socket.ts';
import { Resources } from '../support/resources.ts';

const COMMAND = [process.execPath, HELD_SERVER];
/** A second address of this machine: of IPv6, where there is any. */
const OTHER = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1')
  ? '::1'
  : '127.0.0.2';

test('A process to which nothing was passed, or another one was meant, has none', () => {
  assert.equal(heldSockets({}, process.pid), NO_HELD_SOCKETS);
  const others = { LISTEN_PID: `${process.pid + 1}`, LISTEN_FDS: '1', LISTEN_FDNAMES: 'https' };
  assert.equal(heldSockets(others, process.pid), NO_HELD_SOCKETS);
});

test('Sockets go by their names, in any order, and win over the configuration', async () => {
  await using opened = new Resources();
  const [http, https] = await Promise.all([loopback(opened, OTHER), loopback(opened, '127.0.0.1')]);
  const child = withDescriptors(COMMAND, 'http:https')([descriptorOf(http.server), descriptorOf(https.server)]);
  opened.onEnd(() => child.kill('SIGKILL'));
  const [output] = await once(child.stdout, 'data');
  assert.equal(JSON.parse(String(output)), {
    http: { name: 'http', fd: 3, host: OTHER, port: http.port },
    https: { name: 'https', fd: 4, host: '127.0.0.1', port: https.port },
  });
  // It would take connections as well.
  for (const { server } of [http, https]) server.close();
  assert.is(await ask(https.port), `${child.pid} https`);
});

test('An unusable socket is refused with its fault and what to change: exit code 2', async () => {
  await using opened = new Resources();
  const { server: tcp } = await loopback(opened, '127.0.0.1');
  const unix = await listening({ path: join(temporaryFolder(), 'socket') });
  opened.onEnd(() => unix.close());
  const file = openSync(HELD_SERVER, 'r');
  opened.onEnd(() => closeSync(file));
  for (const [names, descriptors, message] of [
    [
      'https',
      [file],
      'passed as https (descriptor 3) something other than a socket: set ListenStream= to a port, or an address and port,',
    ],
    ['https', [descriptorOf(unix)], 'a socket that is not a listening TCP socket'],
    ['pushctl.socket', [descriptorOf(tcp)], 'a socket named "pushctl.socket": set FileDescriptorName='],
    ['', [descriptorOf(tcp)], 'a socket named ""'],
    ['https:https', [descriptorOf(tcp), descriptorOf(tcp)], 'two sockets named https: keep one ListenStream='],
  ] as const) {
    const child = withDescriptors(COMMAND, names)(descriptors);
    const output = await text(child.stdout);
    assert.match(output, message);
    assert.is(child.exitCode ?? (await once(child, 'exit'))[0], 2);
  }
});

test('Clients that come during a restart wait for the next server, and connected clients are answered', async () => {
  await using opened = new Resources();
  const port = await holdFor(opened, COMMAND);
  const [first = ''] = (await ask(port)).split(' ');
  process.kill(Number(first), 'SIGTERM');
  const later = await Promise.all(Array.from({ length: 20 }, () => ask(port)));
  assert.ok(
    later.every((answer) => / https$/.test(answer)),
    later.join(),
  );
  assert.not((await ask(port)).startsWith(`${first} `));
});

test.run();

async function loopback(opened: Resources, host: string): Promise<{ readonly server: Server; readonly port: number }> {
  const server = await listening({ host, port: 0 });
  opened.onEnd(() => server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

function ask(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false }, (response) => resolve(text(response))).once('error', reject);
  });
}
