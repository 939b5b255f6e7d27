import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openItemStream } from '../../../src/store/transports/socket-client.ts';
import { openLocalStore } from '../../../src/store/transports/socket-or-in-process.ts';
import { type Emit, type OpenStream, serveSocket } from '../../../src/store/transports/socket-server.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { Resources } from '../../support/resources.ts';
import { someSettings } from '../../support/store.ts';

const version = '1.0.0';

async function withStream(
  open: OpenStream,
  use: (path: string, stopServer: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  const path = join(dataDir, 'pushctl.sock');
  const store = opened.add(openLocalStore({ dataDir, settings: someSettings() }));
  const socket = opened.add(await serveSocket({ path, store, version, streams: { watch: open } }));
  await use(path, () => socket.close());
}

function stream(path: string, onItem: (item: unknown) => void = () => {}) {
  return openItemStream({ path, version, call: 'watch', args: { workspace: 'acme' }, onItem });
}

test('items come as they are emitted, until the caller hangs up', async () => {
  const stopped = Promise.withResolvers<void>();
  const open: OpenStream = async (args, emit) => {
    emit({ args });
    emit('two');
    return stopped.resolve;
  };
  await withStream(open, async (path) => {
    const items: unknown[] = [];
    const both = Promise.withResolvers<void>();
    const watching = await stream(path, (item) => {
      if (items.push(item) === 2) both.resolve();
    });
    await both.promise;
    assert.equal(items, [{ args: { workspace: 'acme' } }, 'two']);
    await watching?.close();
    await stopped.promise;
    assert.is(await watching?.ended, null);
  });
});

test('a stream that fails ends with why, and others can still be opened', async () => {
  let calls = 0;
  const open: OpenStream = async () => {
    calls += 1;
    if (calls === 1) throw new Error('a bug');
    return () => {};
  };
  await withStream(open, async (path) => {
    const failed = await stream(path);
    const message = await failed?.ended.catch((error: Error) => error.message);
    assert.is(message, 'watch failed in the server, whose log shows where: a bug');
    await failed?.close();
    const watching = await stream(path);
    await watching?.close();
  });
});

test('a stream that is refused ends with the refusal', () =>
  withStream(
    async () => ({ refused: 'not_found', message: 'no such workspace' }),
    async (path) => {
      const refused = await stream(path);
      assert.is((await refused?.ended)?.message, 'no such workspace');
      await refused?.close();
    },
  ));

test('a caller with an open stream that calls again is hung up on, so the stream ends', () => {
  const ends: string[] = [];
  const ended = Promise.withResolvers<void>();
  const note = (what: string) => {
    if (ends.push(what) === 2) ended.resolve();
  };
  const open: OpenStream = async () => {
    note('opened');
    return () => note('stopped');
  };
  return withStream(open, async (path) => {
    const socket = connect(path);
    const call = JSON.stringify({ id: 1, call: 'watch', args: {} });
    socket.resume().write(`${JSON.stringify({ hello: { version } })}\n${call}\n${call}\n`);
    await ended.promise;
    assert.equal(ends, ['opened', 'stopped']);
    if (!socket.closed) await once(socket, 'close');
  });
});

test('a server that ends is the end of the stream; if none runs there is no stream', () =>
  withStream(
    async () => () => {},
    async (path, stopServer) => {
      const watching = await stream(path);
      await stopServer();
      assert.is(await watching?.ended, null);
      assert.is(await stream(path), null);
    },
  ));

test('a caller that does not read is never waited for: what is beyond the bound is not taken', () => {
  const opened = Promise.withResolvers<Emit>();
  const stopped = Promise.withResolvers<void>();
  const open: OpenStream = async (_, emit) => {
    opened.resolve(emit);
    return stopped.resolve;
  };
  return withStream(open, async (path) => {
    const socket = connect(path);
    await once(socket, 'connect');
    socket.write(`${JSON.stringify({ hello: { version } })}\n${JSON.stringify({ id: 1, call: 'watch', args: {} })}\n`);
    const emit = await opened.promise;
    let taken = 0;
    while (taken < 10_000 && emit('x'.repeat(10_000))) taken += 1;
    assert.ok(taken < 1_000, `${taken} of 10 kB were taken`);
    socket.destroy();
    await stopped.promise;
  });
});

test.run();
