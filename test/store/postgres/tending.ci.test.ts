import * as assert from 'uvu/assert';
import { type Connections, connectionsTo } from '../../../src/store/postgres/connections.ts';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { tending } from '../../../src/store/postgres/queue/tending.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { aNode, nodeTests } from '../../support/postgres-nodes.ts';
import { Resources } from '../../support/resources.ts';
import { someSettings } from '../../support/store.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';

const test = nodeTests('tending the queue on PostgreSQL');

test('If it fails again and again this is reported once, and once more when it goes on', async () => {
  await using opened = new Resources();
  const url = await temporarySchema();
  const { calls } = await aNode({ url });
  const { workspaceId } = await aWorkspace(calls, { devices: { ios: 1 } });
  await calls.acceptEvent(anEvent(workspaceId));
  const stranger = await openPostgres({ url, settings: someSettings() });
  opened.add(stranger);
  const reported: (string | null)[] = [];
  const own = opened.add(connectionsTo({ url }));
  const lend: Connections['lend'] = (work) =>
    own.lend(async (connection) => {
      await connection.execute('SET lock_timeout = 100');
      return work(connection);
    });
  const tend = tending({ lend }, { onTrouble: (_, reason) => reported.push(reason), everyMs: 0 });
  await tend();
  const locking = 'LOCK TABLE queue_change IN SHARE ROW EXCLUSIVE MODE';
  await stranger.connections.transaction('long write', async ({ execute }) => {
    await execute(locking);
    await tend();
  });
  await tend();
  assert.equal(reported, [], 'one failure is made up for');
  await stranger.connections.transaction('long write', async ({ execute }) => {
    await execute(locking);
    for (let times = 0; times < 3; times += 1) await tend();
  });
  for (let times = 0; times < 3; times += 1) await tend();
  assert.is(reported.length, 2);
  assert.match(reported[0] ?? '', 'timeout');
  assert.is(reported[1], null);
});

test('A database that cannot be reached is no trouble of its own', async () => {
  const reported: (string | null)[] = [];
  const nowhere = connectionsTo({ url: `postgres://localhost/none?host=${temporaryFolder()}` });
  const tend = tending(nowhere, { onTrouble: (_, reason) => reported.push(reason), everyMs: 0 });
  for (let times = 0; times < 3; times += 1) await tend();
  assert.equal(reported, []);
});

test.run();
