/** Members of the service's group, who may only read: what they ask for takes neither memory nor turns from others. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageVersion } from '../../src/process/package.ts';
import { connectSocket } from '../../src/store/transports/socket-client.ts';
import { serverProcess } from '../crash/server-process.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, serverEnv } from '../support/server.ts';

const MIB = 1_048_576;
const EVENTS = 600;
const CALLS = 4_000;
const CONNECTIONS = 16;
/** One response has 500 events of some 1.5 KB, and 4,000 times that would be held without a bound. */
const MOST_GROWTH = 96 * MIB;

function residentBytes(pid: number): number {
  const [, kib = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1_024;
}

/** Sends calls, and reads nothing. */
async function flood(path: string, opened: Resources): Promise<Socket> {
  const socket = connect(path);
  opened.onEnd(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  const hello = JSON.stringify({ hello: { version: packageVersion() } });
  const calls = Array.from({ length: CALLS }, (_, id) =>
    JSON.stringify({ id, call: 'listEvents', args: { workspace: 'acme', limit: 500 } }),
  );
  socket.write(`${[hello, ...calls].join('\n')}\n`);
  return socket;
}

test('thousands of lists of which nothing is read take no memory, no turn of others, and do not outlive the server', async () => {
  await using opened = new Resources();
  const path = join(temporaryFolder(), 'readers.sock');
  const env = await serverEnv(opened.add(await aSandbox()), { PUSHCTL_READ_SOCKET: path });
  const server = serverProcess(opened, env);
  const team = opened.add(await aTeam(env, await server.url));
  const event = { description: 'x'.repeat(1_000) };
  for (let posted = 0; posted < EVENTS; posted += 50) {
    await Promise.all(Array.from({ length: 50 }, () => team.post(event)));
  }
  const reader = await connectSocket({ path, version: packageVersion() });
  assert.ok(reader);
  const list = async () => {
    const page = await reader.listEvents({ workspace: 'acme', limit: 500 });
    assert.is('events' in page && page.events.length, 500);
  };
  for (let warm = 0; warm < 20; warm += 1) await list();

  const before = residentBytes(server.pid);
  for (let count = 0; count < CONNECTIONS; count += 1) await flood(path, opened);
  let most = 0;
  for (let round = 0; round < 20; round += 1) {
    const [{ status }] = await Promise.all([team.post(event), list()]);
    assert.is(status, 202);
    most = Math.max(most, residentBytes(server.pid) - before);
  }
  assert.ok(most < MOST_GROWTH, `${Math.round(most / MIB)} MiB more are held`);
  assert.is(await server.end('SIGTERM'), 0);
});

test('arguments that are wrong are refused in words', async () => {
  await using opened = new Resources();
  const path = join(temporaryFolder(), 'readers.sock');
  const env = await serverEnv(opened.add(await aSandbox()), { PUSHCTL_READ_SOCKET: path });
  const server = serverProcess(opened, env);
  await server.url;
  const reader = await connectSocket({ path, version: packageVersion() });
  assert.ok(reader);
  const refusals = [
    [{ limit: 10 }, 'listEvents: workspace must be a text of at most 1000 characters'],
    [{ workspace: 'acme' }, 'listEvents: limit must be an integer.'],
    [{ workspace: { a: 1 }, limit: 10 }, 'listEvents: workspace must be a text'],
    [{ workspace: 'acme', limit: 1e300 }, 'listEvents: limit must be an integer.'],
    [{ workspace: 'acme', limit: 10, level: 'loud' }, 'listEvents: level must be one of info, '],
    [{ workspace: 'acme', limit: 10, sinceMs: 1e17 }, 'listEvents: sinceMs must be a time'],
    [{ workspace: 'acme', limit: 10, q: '\u0000' }, 'listEvents: q must be a text'],
    [{ workspace: 'acme', limit: 10, q: ['x'] }, 'listEvents: q must be a text'],
    [{ workspace: 'acme', limit: 10, scheduled: 'yes' }, 'listEvents: scheduled must be true or false.'],
    [null, 'The arguments of listEvents must be a JSON object.'],
  ] as const;
  for (const [args, words] of refusals) {
    const answer = await reader.listEvents(args as never);
    assert.ok('refused' in answer && answer.refused === 'invalid', JSON.stringify(answer));
    assert.match(answer.message, words);
  }
  for (const args of [{}, { sinceMs: 'x' }, { sinceMs: 0, by: 'year' }, { sinceMs: 0, workspace: 1 }]) {
    assert.match(
      JSON.stringify(await reader.stats(args as never)),
      /"refused":"invalid","message":"stats: \w+ must be /,
    );
  }
  await reader.close();
});

test.run();
