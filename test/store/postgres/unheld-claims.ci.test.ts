import * as assert from 'uvu/assert';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { startDatabaseProxy } from '../../support/database-proxy.ts';
import { clusterFolder, temporarySchema } from '../../support/postgres.ts';
import { aNode, nodeTests, statementsOf } from '../../support/postgres-nodes.ts';
import { Resources } from '../../support/resources.ts';
import { someSettings } from '../../support/store.ts';
import { until, untilIs } from '../../support/until.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';

const test = nodeTests('claims that no request holds');
const LANE = { route: 'apns_production', lane: 'standard', limit: 5_000, batchSize: 100 } as const;
/** More than any page, group or limit of the queue. */
const EVENTS = 1_200;

test('A push claimed for a living node, but held by no request of it, is found and sent, and nothing else', async () => {
  const url = await temporarySchema();
  const { calls, store } = await aNode({ url });
  const { workspaceId } = await aWorkspace(calls, { devices: { ios: 1 } });
  const accept = (count: number) =>
    Promise.all(Array.from({ length: count }, () => calls.acceptEvent(anEvent(workspaceId))));
  const claimed = async () => (await calls.claimBatches(LANE)).claims.flatMap(({ targets }) => targets).length;
  await accept(10);
  assert.is(await claimed(), 10);
  await accept(EVENTS);
  // Acts like the database on a request that was given up here: its number is one of those that are over.
  const forge = `SELECT count(*) FROM claim_parts(${store.node}, 1, 'apns_production', 'standard', 5000, 100, 0, '{}', false, NULL, NULL, NULL)`;
  assert.is(await store.connections.lend(({ sql }) => sql.value<object, number>(forge)({})), EVENTS);
  assert.is(await claimed(), 0);
  await calls.expireOverdue({});
  assert.is(await claimed(), EVENTS);
});

test('While no request was left without an answer, claims that no request holds are looked for seldom, and again after one was', async () => {
  await using opened = new Resources();
  const proxy = opened.add(await startDatabaseProxy(await clusterFolder()));
  const options = new URL(await temporarySchema()).searchParams.get('options') ?? '';
  const { calls } = await aNode({ url: `${proxy.url(options)}&sslmode=disable` });
  const { workspaceId } = await aWorkspace(calls, { devices: { ios: 1 } });
  const looks = async (sweeps: number) => {
    const statements = statementsOf();
    for (let times = 0; times < sweeps; times += 1) await calls.expireOverdue({});
    return statements().filter((text) => text.includes('request <= $2')).length;
  };
  assert.is(await looks(5), 1);
  proxy.cut();
  await calls.claimBatches(LANE).catch(() => {});
  proxy.fix();
  await until('the database is back', async () => {
    return calls.acceptEvent(anEvent(workspaceId)).then(
      () => true,
      (error) => error,
    );
  });
  assert.is(await looks(5), 5);
  await calls.close();
});

test('A claim that waits for a lock is ended in the database before it is given up, and claimed once the lock is gone', async () => {
  await using opened = new Resources();
  const url = await temporarySchema();
  const { calls } = await aNode({ url, answerMs: 1_500 });
  const { workspaceId } = await aWorkspace(calls, { devices: { ios: 1 } });
  await calls.acceptEvent(anEvent(workspaceId));
  const stranger = await openPostgres({ url, settings: someSettings() });
  opened.add(stranger);
  await stranger.connections.transaction('long write', async ({ execute, sql }) => {
    await execute('LOCK TABLE subscription');
    const waiting = sql.value<object, number>(
      `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'subscription'::regclass`,
    );
    const asking = calls.claimBatches(LANE).then(
      () => 'claimed',
      () => 'refused',
    );
    await untilIs('it waits', () => waiting({}), 1);
    assert.is(await asking, 'refused');
    assert.is(await waiting({}), 0);
  });
  assert.is((await calls.claimBatches(LANE)).claims.flatMap(({ targets }) => targets).length, 1);
});

test.run();
