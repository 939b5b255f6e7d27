import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperatorProblem } from '../../src/process/problem.ts';
import { isRefusal, type StoreClient, StoreUnavailable } from '../../src/store/calls.ts';
import { clientOver } from '../../src/store/client.ts';
import { connectSocket } from '../../src/store/transports/socket-client.ts';
import { openLocalStore, openStore } from '../../src/store/transports/socket-or-in-process.ts';
import { serveSocket } from '../../src/store/transports/socket-server.ts';
import { ADA } from '../support/cast.ts';
import { temporaryFolder } from '../support/folder.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { someSettings } from '../support/store.ts';
import { aDevice } from '../support/workspace.ts';

const version = '1.0.0';

interface Served {
  readonly dataDir: string;
  readonly path: string;
  readonly stop: () => Promise<void>;
}

/** A running server's store and socket. `store` stands in for the store of the folder. */
async function withServer(use: (served: Served) => Promise<void>, store?: StoreClient): Promise<void> {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  const path = join(dataDir, 'pushctl.sock');
  const served = opened.add(store ?? openLocalStore({ dataDir, settings: someSettings() }));
  const socket = opened.add(await serveSocket({ path, store: served, version }));
  await use({ dataDir, path, stop: () => socket.close() });
}

async function connected(path: string): Promise<StoreClient> {
  const client = await connectSocket({ path, version });
  if (!client) throw new Error('no server listens');
  return client;
}

function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('the command line tool speaks to the store of the running server', () =>
  withServer(async ({ dataDir, path }) => {
    assert.is(statSync(path).mode & 0o777, 0o600);
    const store = await openStore({ dataDir, settings: someSettings(), version });
    await store.createWorkspace({ slug: 'acme', name: 'Ännchen 🚀\n' });
    const [workspace] = await store.listWorkspaces({});
    // A line end within a call ends no frame; in a name it is stored as a blank.
    assert.is(workspace?.name, 'Ännchen 🚀 ');
    assert.ok(isRefusal(await store.listChannels({ workspace: 'nowhere' })));
    await store.close();
  }));

test('a connection has one call at a time, and each gets its own answer', () => {
  let underWay = 0;
  let most = 0;
  const slow = clientOver({
    ask: async ({ args }) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      return { kind: 'answer', answer: (args as { slug: string }).slug };
    },
    close: async () => {},
  });
  return withServer(async ({ path }) => {
    const store = await connected(path);
    const answers = ['a', 'b', 'c'].map((slug) => store.showWorkspace({ slug }) as Promise<unknown>);
    assert.equal(await Promise.all(answers), ['a', 'b', 'c']);
    assert.is(most, 1);
    await store.close();
  }, slow);
});

test('while a caller takes no responses, its calls are not read, and others are answered', () => {
  let greedy = 0;
  const large = clientOver({
    ask: async ({ name }) => {
      if (name === 'listPlans') greedy += 1;
      return { kind: 'answer', answer: name === 'listPlans' ? 'x'.repeat(1024 * 1024) : 'pong' };
    },
    close: async () => {},
  });
  return withServer(async ({ path }) => {
    const socket = connect(path);
    const calls = Array.from({ length: 1_000 }, (_, id) => `${JSON.stringify({ id, call: 'listPlans', args: {} })}\n`);
    const written = new Promise((resolve) => {
      socket.write(`${JSON.stringify({ hello: { version } })}\n${calls.join('')}`, resolve);
    });
    await written;
    const store = await connected(path);
    for (let asked = 0; asked < 100; asked += 1) assert.is(await (store.ping({}) as Promise<unknown>), 'pong');
    // Unix sockets hold less than one of these responses.
    assert.is(greedy, 1);
    socket.destroy();
    await store.close();
  }, large);
});

test('a store that cannot write crosses the socket as itself', () => {
  const full = clientOver({
    ask: async () => ({ kind: 'unavailable', reason: 'disk full' }),
    close: async () => {},
  });
  return withServer(async ({ path }) => {
    const store = await connected(path);
    const error = await rejection(store.listPlans({}));
    assert.instance(error, StoreUnavailable);
    assert.is((error as StoreUnavailable).reason, 'disk full');
    await store.close();
  }, full);
});

test('a test push is due at once, with any clock of the command', () =>
  withServer(async ({ path }) => {
    const store = await connected(path);
    granted(await store.createWorkspace({ slug: 'acme' }));
    granted(await store.addMember({ workspace: 'acme', email: ADA, role: 'owner' }));
    const whose = { workspace: 'acme', email: ADA };
    const { device } = granted(await store.addDevice({ ...whose, ...aDevice({ subscribe: [] }) }));
    const tomorrowMs = Date.now() + 86_400_000;
    const testPush = { id: device.id, uuid: randomUUID(), wallMs: tomorrowMs, steadyMs: tomorrowMs };
    const { event } = granted(await store.testDevice(testPush));
    assert.ok(Date.parse(event.received_at) < tomorrowMs, event.received_at);
    const [waits] = await store.queueAge({});
    assert.ok(waits, 'nothing is due');
    await store.close();
  }));

test('a call for the server alone is not carried', () =>
  withServer(async ({ path }) => {
    const store = await connected(path);
    assert.match(JSON.stringify(await store.findKey({ id: 'k' })), 'findKey cannot be called');
    assert.match(JSON.stringify(await store.releaseBatch({ claimId: '1' })), 'cannot be called');
    assert.is((await store.ping({})).schema > 0, true);
    await store.close();
  }));

test('arguments that are no object are refused, and a call that fails shows no stack to its caller, but to the server', async () => {
  await using opened = new Resources();
  const path = join(temporaryFolder(), 'pushctl.sock');
  const broken = clientOver({
    ask: async () => ({ kind: 'bug', message: 'TypeError: x is not iterable\n    at handler (file.ts:1:2)' }),
    close: async () => {},
  });
  const failed: string[] = [];
  const onError = (call: string, { message }: Error) => void failed.push(`${call} ${message}`);
  opened.add(await serveSocket({ path, store: broken, version, onError }));
  const store = await connected(path);
  for (const args of [null, [], 'x', undefined]) {
    const answer = await store.listPlans(args as unknown as Record<string, never>);
    assert.match(JSON.stringify(answer), 'The arguments of listPlans must be a JSON object.');
  }
  const { message } = (await rejection(store.listPlans({}))) as Error;
  assert.is(message, 'listPlans failed in the server, whose log shows where: TypeError: x is not iterable');
  assert.equal(failed, ['listPlans TypeError: x is not iterable\n    at handler (file.ts:1:2)']);
  await store.close();
});

test('a command of another version than the server says both versions and what to do', () =>
  withServer(async ({ dataDir }) => {
    const error = await rejection(openStore({ dataDir, settings: someSettings(), version: '2.0.0' }));
    assert.instance(error, OperatorProblem);
    assert.match(
      (error as Error).message,
      'the running server is pushctl 1.0.0, but this command is pushctl 2.0.0. Restart',
    );
  }));

test('calls that are open when the server ends are rejected, and later ones, too', () => {
  const silent = clientOver({
    ask: () => new Promise(() => {}),
    close: async () => {},
  });
  return withServer(async ({ path, stop }) => {
    const store = await connected(path);
    const lost = rejection(store.listPlans({}));
    await stop();
    assert.match(((await lost) as Error).message, 'may or may not have been done');
    assert.instance(await rejection(store.listPlans({})), OperatorProblem);
    await store.close();
  }, silent);
});

test('a client that sends anything but frames is hung up on, and the server goes on', () =>
  withServer(async ({ path }) => {
    const greeting = `${JSON.stringify({ hello: { version } })}\n`;
    for (const noise of ['GET / HTTP/1.1\r\n\r\n', '{"id":1,"call":"listPlans"}\n', `${greeting}[]\n`]) {
      const socket = connect(path);
      socket.resume().write(noise);
      await once(socket, 'close');
    }
    const store = await connected(path);
    await store.ping({});
    await store.close();
  }));

test('a frame without end is hung up on', () =>
  withServer(async ({ path }) => {
    const socket = connect(path);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.resume().write(`"${'x'.repeat(17 * 1024 * 1024)}`);
    await closed;
  }));

test('without a server the store is opened here, also beside the socket file of a dead one', async () => {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'pushctl.sock'), '');
  const store = opened.add(await openStore({ dataDir, settings: someSettings(), version, canCreate: true }));
  await store.createWorkspace({ slug: 'acme' });
  opened.add(await serveSocket({ path: join(dataDir, 'pushctl.sock'), store, version }));
  const other = opened.add(await openStore({ dataDir, settings: someSettings(), version }));
  assert.is((await other.listWorkspaces({})).length, 1);
});

test('a command waits for another one that has the data folder, but not for ever', async () => {
  const dataDir = temporaryFolder();
  const options = { dataDir, settings: someSettings(), version, canCreate: true };
  const first = await openStore(options);
  assert.match(((await rejection(openStore({ ...options, timeoutMs: 0 }))) as Error).message, 'is in use by');
  const second = openStore(options);
  await first.close();
  await (await second).close();
});

test('a server that accepts but says nothing of use is a problem, at once or after ten seconds', async () => {
  await using opened = new Resources();
  for (const hears of [(socket: Socket) => void socket.end(), () => mock.timers.tick(10_000)]) {
    const path = join(temporaryFolder(), 'pushctl.sock');
    const mute = createServer((socket) => socket.once('data', () => hears(socket))).listen(path);
    opened.onEnd(() => mute.close());
    await once(mute, 'listening');
    mock.timers.enable({ apis: ['setTimeout'] });
    using _ = mock.timers;
    assert.match(((await rejection(connectSocket({ path, version }))) as Error).message, 'does not answer');
  }
});

test('a path that is too long for a socket is a problem with a way out', async () => {
  const path = join(temporaryFolder(), 'x'.repeat(120), 'pushctl.sock');
  const store = clientOver({
    ask: () => new Promise(() => {}),
    close: async () => {},
  });
  assert.match(((await rejection(serveSocket({ path, store, version }))) as Error).message, 'more than 107 bytes');
});

test.run();
