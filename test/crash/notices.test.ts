import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wayToDatabase } from '../support/database-way.ts';
import { Opened } from '../support/opened.ts';
import { clusterFolder, temporarySchema } from '../support/postgres.ts';
import { aNode } from '../support/postgres-nodes.ts';
import { until } from '../support/until.ts';

const test = suite('notices on bad days');

test('A node whose listening connection goes silent finds that out and listens anew, and stops while it is silent again', async () => {
  await using opened = new Opened();
  const way = opened.add(await wayToDatabase(await clusterFolder()));
  const url = await temporarySchema();
  const teller = await aNode({ url, node: 'telling' });
  opened.onEnd(() => teller.store.close());
  const listener = await aNode({ url, node: 'listening', listenUrl: way.url() });
  let told = 0;
  const isTold = async () => {
    const before = told;
    await until('a notice arrives', () => {
      teller.store.notify('test', '');
      return told > before;
    });
  };
  listener.store.onNotice('test', () => {
    told += 1;
  });
  await isTold();
  way.freeze();
  const atFreeze = told;
  way.mend();
  await isTold();
  assert.ok(told > atFreeze);
  way.freeze();
  await listener.store.close();
});

test.run();
