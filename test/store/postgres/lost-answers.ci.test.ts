import * as assert from 'uvu/assert';
import type { Claim } from '../../../src/store/calls.ts';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import { clusterFolder, temporarySchema } from '../../support/postgres.ts';
import { aCluster, aNode, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { Resources } from '../../support/resources.ts';
import { someSettings } from '../../support/store.ts';
import { untilIs } from '../../support/until.ts';
import { anEvent, aWorkspace, type TestWorkspace } from '../../support/workspace.ts';

const test = nodeTests('answers of the queue that are lost');
const LANE = { route: 'apns_production', lane: 'standard', limit: 5_000, batchSize: 100 } as const;
/** More than one stretch of a fan-out, and than one lease. */
const EVENTS = 2_200;
const DEVICES = 250;

for (const [what, statement] of [
  ['a lease', 'lease_lane'],
  ['a read of targets', 'read_work'],
] as const) {
  test(`If the answer to ${what} is lost, each push goes out once`, () =>
    throughProxy({ devices: 1 }, async ({ proxy, node, accept }) => {
      await accept(EVENTS);
      proxy.loseAnswerTo(statement);
      assert.is(await refused(node.calls.claimBatches(LANE)), 'refused');
      assert.is(proxy.lost, 1);
      assert.is((await workOff(node)).length, EVENTS);
    }));
}

test('If the answer to an acceptance is lost whose pushes the node owns, each of them goes out once', () =>
  throughProxy({ devices: 1 }, async ({ proxy, node, accept }) => {
    // Its first claim makes it an owner of what it accepts.
    assert.equal(await workOff(node), []);
    proxy.loseAnswerTo('post_events');
    await accept(1).catch(() => {});
    assert.is(proxy.lost, 1);
    assert.is(await node.value('SELECT count(*) FROM fan_out WHERE owner IS NOT NULL'), 1);
    assert.is((await workOff(node)).length, 1);
  }));

for (const [what, verdict] of [
  ['accepted pushes', { state: 'accepted' }],
  ['pushes to retry', { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true }],
] as const) {
  test(`If the answer to a record of ${what} is lost, they are counted once`, () =>
    throughProxy({ devices: DEVICES }, async ({ proxy, node, accept }) => {
      const [publicId = ''] = await accept(1);
      const [first, ...others] = (await node.calls.claimBatches(LANE)).claims as [Claim, ...Claim[]];
      proxy.loseAnswerTo('record_pushes');
      assert.is(await refused(settle(node, first, verdict)), 'refused');
      assert.is(proxy.lost, 1);
      await settle(node, first, verdict);
      for (const claim of others) await settle(node, claim, verdict);
      assert.is(await node.value('SELECT count(*) FROM delivery'), DEVICES);
      assert.is(await node.value('SELECT max(attempts) FROM delivery'), 1);
      const again = await workOff(node);
      assert.is(again.length, verdict.state === 'accepted' ? 0 : DEVICES);
      const { event } = granted(await node.calls.showEvent({ publicId, limit: 1 }));
      assert.equal([event.deliveries.accepted, event.deliveries.pending], [DEVICES, 0]);
    }));
}

test('If a careful settlement fails at its second event, what it recorded of the first is counted once', async () => {
  const { nodes, post } = await aCluster(1, { devices: { ios: 60 } });
  const [node] = nodes;
  for (let events = 0; events < 2; events += 1) await post();
  const [{ targets, ...claim }] = (await node.calls.claimBatches(LANE)).claims as [Claim];
  // The first event has more targets in this claim.
  const some = { ...claim, targets: targets.slice(50), from: 50 };
  const all = { ...claim, targets };
  await node.execute(`
    CREATE FUNCTION refuse_second() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION USING ERRCODE = 'query_canceled', MESSAGE = 'too slow'; END $$;
    CREATE TRIGGER refuse_second BEFORE UPDATE OF accepted ON event
      FOR EACH ROW WHEN (new.id = 2 AND new.accepted > 0) EXECUTE FUNCTION refuse_second()`);
  assert.is(await refused(settle(node, some, { state: 'accepted' }, true)), 'refused');
  await node.execute('DROP TRIGGER refuse_second ON event');
  await settle(node, all, { state: 'accepted' }, true);
  assert.equal(await node.value('SELECT json_agg(accepted ORDER BY id) FROM event'), [60, 40]);
});

test('If a lost record fails by a bug when it is repeated, only its event is a dead letter, and all others are settled', () =>
  throughProxy({ devices: 40 }, async ({ proxy, node, observer, accept }) => {
    await accept(3);
    const [claim, ...others] = (await node.calls.claimBatches(LANE)).claims as [Claim, ...Claim[]];
    // The first claim has two and a half events.
    assert.equal([claim.targets.length, others.length], [100, 1]);
    await loseRecord(proxy, observer, () => refused(settle(node, claim, { state: 'accepted' })));
    await observer.execute(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'bad row'; END $$;
      CREATE TRIGGER bug BEFORE INSERT ON delivery FOR EACH ROW WHEN (new.event_id = 3) EXECUTE FUNCTION fail()`);
    await accept(1);
    assert.is((await workOff(node)).length, 40);
    await settle(node, claim, { state: 'accepted' });
    const accepted = () => observer.value('SELECT json_agg(accepted ORDER BY id) FROM event');
    assert.equal(await accepted(), [40, 40, 0, 40]);
    assert.is(await observer.value('SELECT count(*) FROM dead_letter WHERE event_id = 3'), 1);
    await observer.execute('DROP FUNCTION fail CASCADE');
    // Its other pushes were in flight.
    for (const unsettled of others) await settle(node, unsettled, { state: 'accepted' });
    assert.equal(await accepted(), [40, 40, 20, 40]);
    const owned = () => observer.value('SELECT count(*) FROM fan_out WHERE owner IS NOT NULL');
    await untilIs('it is free', owned, 0);
    await node.calls.retryDeadLetters({});
    assert.is((await workOff(node)).length, 20);
    assert.equal(await accepted(), [40, 40, 40, 40]);
  }));

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
    const asking = refused(calls.claimBatches(LANE));
    await untilIs('it waits', () => waiting({}), 1);
    assert.is(await asking, 'refused');
    assert.is(await waiting({}), 0);
  });
  assert.is((await calls.claimBatches(LANE)).claims.flatMap(({ targets }) => targets).length, 1);
});

test.run();

interface Scene {
  readonly proxy: DatabaseProxy;
  readonly node: TestNode;
  /** Another node, past the proxy. It claims nothing. */
  readonly observer: TestNode;
  /** Returns their public ids. */
  accept(count: number): Promise<readonly string[]>;
}

async function throughProxy({ devices }: { readonly devices: number }, work: (scene: Scene) => Promise<void>) {
  await using opened = new Resources();
  const proxy = opened.add(await startDatabaseProxy(await clusterFolder()));
  const url = await temporarySchema();
  const options = new URL(url).searchParams.get('options') ?? '';
  const node = await aNode({ url: `${proxy.url(options)}&sslmode=disable` });
  const { workspaceId }: TestWorkspace = await aWorkspace(node.calls, { devices: { ios: devices } });
  const accept = async (count: number) => {
    const acceptEvent = async () => {
      const answer = await node.calls.acceptEvent(anEvent(workspaceId));
      return 'event' in answer ? answer.event.public_id : '';
    };
    return Promise.all(Array.from({ length: count }, acceptEvent));
  };
  await work({ proxy, node, observer: await aNode({ url, node: 'observer' }), accept });
  await node.store.close();
}

/** The connection of a record breaks before the database has recorded anything. */
async function loseRecord(proxy: DatabaseProxy, { store }: TestNode, record: () => Promise<string>): Promise<void> {
  await store.connections.transaction('long write', async ({ execute, sql }) => {
    await execute('LOCK TABLE tally');
    const waiting = `SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'tally'::regclass`;
    const count = sql.value<object, number>(`SELECT count(*) FROM (${waiting}) AS waits`);
    const recording = record();
    await untilIs('it waits', () => count({}), 1);
    proxy.cut();
    assert.is(await recording, 'refused');
    await sql.all(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS waits`)({});
    await untilIs('it has ended', () => count({}), 0);
  });
  proxy.fix();
}

function refused(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'answered',
    () => 'refused',
  );
}

async function settle(
  { calls }: TestNode,
  { claimId, targets, from = 0 }: Pick<Claim, 'claimId' | 'targets'> & { readonly from?: number },
  verdict: object,
  isCareful = false,
): Promise<void> {
  const settled = { verdict: verdict as { state: 'accepted' }, fitted: false, linksLost: false };
  await calls.settleBatch({
    claimId,
    isCareful,
    verdicts: targets.map((_, index) => ({ index: from + index, ...settled })),
  });
}

/** Sends all, and returns which event to which device. */
async function workOff(node: TestNode): Promise<readonly string[]> {
  const sent: string[] = [];
  for (;;) {
    const { claims, nextDueInMs } = await node.calls.claimBatches(LANE);
    for (const claim of claims) {
      for (const { event, deviceId } of claim.targets) sent.push(`${claim.events[event]?.eventId} ${deviceId}`);
      await settle(node, claim, { state: 'accepted' });
    }
    if (claims.length === 0 && nextDueInMs === null) break;
  }
  assert.is(new Set(sent).size, sent.length);
  return sent;
}
