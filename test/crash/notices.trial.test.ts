import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { clusterFolder, temporarySchema } from '../support/postgres.ts';
import { aNode } from '../support/postgres-nodes.ts';
import { Resources } from '../support/resources.ts';
import { until } from '../support/until.ts';

test('A node whose listening connection goes silent finds that out and listens again, and stops while it is silent again', async () => {
  await using opened = new Resources();
  const proxy = opened.add(await startDatabaseProxy(await clusterFolder()));
  const url = await temporarySchema();
  const notifier = await aNode({ url, node: 'telling' });
  opened.onEnd(() => notifier.store.close());
  const listener = await aNode({ url, node: 'listening', listenUrl: proxy.url() });
  let received = 0;
  const isReceived = async () => {
    const before = received;
    await until('a notice arrives', () => {
      notifier.store.notify('test', '');
      return received > before;
    });
  };
  listener.store.onNotice('test', () => {
    received += 1;
  });
  await isReceived();
  proxy.freeze();
  const atFreeze = received;
  proxy.fix();
  await isReceived();
  assert.ok(received > atFreeze);
  proxy.freeze();
  await listener.store.close();
});

test.run();
