import pg from 'pg';
import * as assert from 'uvu/assert';
import type { QueueDepth } from '../../../src/store/calls.ts';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { closeStores, POSTGRES, type PostgresOnly } from '../../support/engines.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { aNode, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { claim, settle } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import { Resources } from '../../support/resources.ts';
import type { TemporaryStore } from '../../support/store.ts';
import { until, untilIs } from '../../support/until.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const test = nodeTests('how much waits on PostgreSQL');
test.after.each(closeStores);

const LANE = { route: 'apns_production', lane: 'standard', batchSize: 100 } as const;
const LATER = { state: 'pending', reason: 'timeout', retryInMs: 1_000, spent: true } as const;
/** More than a claim takes at once. */
const EVENTS = 700;
/** So many that the database may prefer the index that has the order of the rows. */
const CLAIMED = 20_000;
/** The name that they connect with. */
const NODES = 'nodes-of-a-test';

test('The count of waiting pushes is exact after any outcome, also when its changes are summed up', async () => {
  const store = await aWorld({ engine: POSTGRES, devices: { ios: 3 } });
  const check = async (what: string) => {
    const depth = await store.calls.queueDepth({});
    assert.equal(waitingIn(depth), await countedIn(store), what);
    for (const workspace of [undefined, 'acme', 'umbrella']) {
      const { waiting } = granted(await store.calls.stats({ sinceMs: NOW_MS, ...(workspace && { workspace }) }));
      assert.equal(waiting, await countedByRoute(store, workspace), `${what}: ${workspace ?? 'all'}`);
    }
  };
  const other = await store.addWorkspace('umbrella', {
    channels: ['alerts'],
    owner: 'bo@example.com',
    devices: { ios: 2, android: 1 },
  });
  for (let nth = 0; nth < 3; nth += 1) await other.accept({ workspaceId: other.workspaceId });
  const posted: string[] = [];
  for (let nth = 0; nth < 6; nth += 1) posted.push(await store.post());
  await check('posted');
  const [batch, ...others] = await claim(store, { limit: 8, batchSize: 4 });
  assert.ok(batch);
  await check('claimed');
  await settle(store, batch, LATER);
  await check('to be tried again');
  for (const other of others) await settle(store, other);
  await check('sent in part');
  await storeOf(store).connections.lend(({ execute }) => execute('SELECT tend_queue(0)'));
  await check('summed up');
  const retries = await claim(store, { atMs: NOW_MS + 2_000, limit: 3 });
  for (const retry of retries) await settle(store, retry, { ...LATER, state: 'held', token: 'a token' });
  await check('in another lane');
  await store.calls.cancelEvent({ publicId: posted[5] ?? '' });
  await check('cancelled');
  await store.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' });
  while (!(await store.calls.pruneStep({})).done) await check('half removed');
  await check('removed');
  assert.equal(await countedByRoute(store, 'acme'), []);
  await storeOf(store).connections.lend(({ execute }) => execute('SELECT tend_queue(0)'));
  await check('summed up again');
  const [rows, ofAcme] = await storeOf(store).connections.lend(async ({ sql }) => [
    await sql.values<object, number>('SELECT count(*) FROM queue_change GROUP BY route, lane, workspace_id')({}),
    await sql.value<object, number>(
      "SELECT count(*) FROM queue_change WHERE workspace_id = (SELECT id FROM workspace WHERE slug = 'acme')",
    )({}),
  ]);
  assert.equal([...new Set(rows)], [1]);
  assert.is(ofAcme, 0);
});

test('A look at the number of waiting pushes reads none of them', async () => {
  const { url, node, workspaceId } = await aNodeOf(1);
  await post(node, workspaceId, EVENTS);
  await node.calls.close();
  const before = await entriesRead(url);
  const again = await aNamedNode(url, 'two');
  await again.calls.queueAge({});
  assert.equal(
    (await again.calls.queueDepth({})).filter(({ waiting }) => waiting > 0),
    [{ route: 'apns_production', lane: 'standard', waiting: EVENTS, deferred: 0 }],
  );
  for (const workspace of [undefined, 'acme']) {
    const { waiting } = granted(await again.calls.stats({ sinceMs: Date.now(), ...(workspace && { workspace }) }));
    assert.equal(waiting, [{ route: 'apns_production', pushes: EVENTS }]);
  }
  await again.calls.close();
  assert.ok((await entriesRead(url)) - before < EVENTS / 2);
});

test('Claims skip what is done while an old snapshot still sees it, and find what is put back there', async () => {
  await using opened = new Resources();
  const { url, node, workspaceId } = await aNodeOf(1);
  await post(node, workspaceId, 1);
  const old = new pg.Client({ connectionString: url });
  await old.connect();
  opened.add({ close: () => old.end() });
  await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await old.query('SELECT count(*) FROM event');
  await post(node, workspaceId, EVENTS);
  while ((await workOff(node)) > 0);
  await untilBehind(node, EVENTS);
  await post(node, workspaceId, 1);
  await node.calls.close();
  const start = await readByNode(url, async () => {}, { deleted: EVENTS + 1 });
  const all = await readByNode(
    url,
    async (again) => {
      assert.is(await workOff(again), 1);
      assert.is(await workOff(again), 0);
    },
    { deleted: EVENTS + 1, deletes: 1 },
  );
  assert.ok(all - start < EVENTS / 2, `${all} with claims, ${start} without`);
});

test('Waiting pushes are found without reading owned ones, with any index that the database prefers', async () => {
  const { url, node, workspaceId } = await aNodeOf(1);
  await post(node, workspaceId, 1);
  const backlog = `
    INSERT INTO fan_out (event_id, route, lane, workspace_id, channel_id, last, targeted, expires_at)
    SELECT nth, its_route, lane, workspace_id, channel_id, last, targeted, expires_at
    FROM fan_out CROSS JOIN generate_series(2, ${CLAIMED}) AS nth CROSS JOIN unnest('{apns_production,fcm}'::text[]) AS its_route;
    ANALYZE fan_out;
    UPDATE fan_out SET owner = 99 WHERE event_id > 1`;
  await node.store.connections.transaction('long write', ({ execute }) => execute(backlog));
  await node.calls.close();
  const index = 'fan_out_pkey';
  // The first to come past entries of rows that are gone takes them out of the way of the others.
  await readByNode(url, async () => {}, { index });
  const start = await readByNode(url, async () => {}, { index });
  const all = await readByNode(
    url,
    async (again) => {
      await again.execute('SELECT work_waits(NULL), work_waits(1)');
      assert.is(await workOff(again), 1);
      assert.is(await workOff(again), 0);
      await again.calls.queueAge({});
    },
    { index, deletes: 1 },
  );
  assert.ok(all - start < CLAIMED / 2, `${all} with claims, ${start} without`);
});

test('A push that comes back into a lane is found below the start of claims', async () => {
  const { node, workspaceId } = await aNodeOf(1);
  await post(node, workspaceId, 2);
  const { execute } = await node.store.connections.lend((connection) => connection);
  await execute("UPDATE fan_out SET lane = 'dead_letter' WHERE event_id = 1");
  assert.is(await workOff(node), 1);
  await untilBehind(node, 2);
  assert.is(await workOff(node), 0);
  await execute("UPDATE fan_out SET lane = 'standard' WHERE event_id = 1");
  assert.is(await workOff(node), 1);
});

test('An event that is committed after later ones is claimed, however long that took', async () => {
  await using opened = new Resources();
  const { url, node, workspaceId } = await aNodeOf(1);
  const connections = connectionsTo({ url });
  opened.add(connections);
  await post(node, workspaceId, 1);
  await workOff(node);
  await connections.transaction('long write', async ({ execute }) => {
    await execute(`INSERT INTO event (uuid, workspace_id, channel_id, title, level, urgency, had_links, targeted, last_subscription,
      received_at, expires_at) SELECT decode('01996b00000070008000000000000001', 'hex'), workspace_id, channel_id, 'Late', level, urgency, 0, 1, last_subscription,
      received_at, expires_at FROM event`);
    await execute(`INSERT INTO fan_out (event_id, route, lane, workspace_id, channel_id, last, targeted, expires_at)
      SELECT id, 'apns_production', 'standard', workspace_id, channel_id, last_subscription, 1, expires_at FROM event WHERE title = 'Late'`);
    await post(node, workspaceId, 1);
    await workOff(node);
    for (let times = 0; times < 3; times += 1) await tend(node);
  });
  assert.is(await workOff(node), 1);
});

test.run();

async function aNodeOf(devices: number): Promise<{ url: string; node: TestNode; workspaceId: number }> {
  const url = await temporarySchema();
  const node = await aNamedNode(url, 'one');
  const { workspaceId } = await aWorkspace(node.calls, { devices: { ios: devices } });
  return { url, node, workspaceId };
}

/** One whose connections can be told from others. */
function aNamedNode(url: string, node: string): Promise<TestNode> {
  return aNode({ url: `${url}&application_name=${NODES}`, node });
}

async function post({ calls }: TestNode, workspaceId: number, events: number): Promise<void> {
  await Promise.all(Array.from({ length: events }, () => calls.acceptEvent(anEvent(workspaceId))));
}

async function workOff({ calls }: TestNode): Promise<number> {
  const { claims } = await calls.claimBatches({ ...LANE, limit: 500 });
  const verdict = { state: 'accepted' } as const;
  for (const { claimId, targets } of claims) {
    const verdicts = targets.map((_, index) => ({ index, verdict, fitted: false, linksLost: false }));
    await calls.settleBatch({ claimId, verdicts });
  }
  return claims.flatMap(({ targets }) => targets).length;
}

/** Sums up like the queue every few seconds. */
function tend({ store }: TestNode): Promise<void> {
  return store.connections.lend(({ execute }) => execute('SELECT tend_queue(0)'));
}

/** Transactions of other tests are waited for as well. */
async function untilBehind(node: TestNode, event: number): Promise<void> {
  const { connections } = node.store;
  const lowest = () =>
    connections.lend(({ sql }) => sql.value<object, number>('SELECT max(event_id) FROM queue_floor')({}));
  await until('claims begin behind what is done', async () => {
    await tend(node);
    return ((await lowest()) ?? 0) > event;
  });
}

/**
 * How many entries a further node reads: at its start, which looks once at all that waits, and by `work`. `deletes`: how
 * many fan-outs that ends.
 */
async function readByNode(
  url: string,
  work: (node: TestNode) => Promise<void>,
  { deleted = 0, deletes = 0, index = '%' },
): Promise<number> {
  const before = await entriesRead(url, deleted, index);
  const node = await aNamedNode(url, 'two');
  await node.calls.expireOverdue({});
  await work(node);
  await node.calls.close();
  return (await entriesRead(url, deleted + deletes, index)) - before;
}

/**
 * Counts the entries read in the indexes of fan-outs, or in one of them. Waits until all inserts and so many deletions
 * are counted, and the nodes' reads. A backend reports those as it ends, and closing does not wait for that.
 */
async function entriesRead(url: string, deleted = 0, index = '%'): Promise<number> {
  const connections = connectionsTo({ url });
  const counted = () =>
    connections.lend(({ sql }) =>
      sql.get<object, { deleted: number; read: number }>(`
        SELECT n_tup_del AS deleted, seq_tup_read + (
          SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes AS its WHERE its.relid = of.relid AND its.indexrelname LIKE '${index}'
        ) AS read
        FROM pg_stat_user_tables AS of
        WHERE schemaname = current_schema() AND relname = 'fan_out' AND n_tup_ins >= ${EVENTS}`)({}),
    );
  const nodes = () =>
    connections.lend(({ sql }) =>
      sql.value<{ name: string }, number>('SELECT count(*) FROM pg_stat_activity WHERE application_name = :name')({
        name: NODES,
      }),
    );
  await untilIs('the nodes are gone', () => nodes(), 0);
  await untilIs('all is counted', async () => (await counted())?.deleted, deleted);
  const read = (await counted())?.read ?? 0;
  await connections.close();
  return read;
}

function storeOf(world: TemporaryStore): PostgresOnly['store'] {
  return (world as TemporaryStore & PostgresOnly).store;
}

type Waiting = Readonly<Record<string, readonly [waiting: number, deferred: number]>>;

function waitingIn(depth: readonly QueueDepth[]): Waiting {
  return Object.fromEntries(
    depth
      .filter(({ waiting, deferred }) => waiting !== 0 || deferred !== 0)
      .map(({ route, lane, waiting, deferred }) => [`${route} ${lane}`, [waiting, deferred]] as const)
      .sort(),
  );
}

/** Row by row. */
async function countedIn(world: TemporaryStore): Promise<Waiting> {
  const rows = await storeOf(world).connections.lend(({ sql }) =>
    sql.all<object, { name: string; waiting: number; deferred: number }>(`
      SELECT route || ' ' || lane AS name, sum(waiting) AS waiting, sum(deferred) AS deferred FROM (
        SELECT route, lane, targeted - recorded AS waiting, 0 AS deferred FROM fan_out
        UNION ALL
        SELECT route, lane, 0, 1 FROM delivery WHERE state = 'pending'
      ) AS each GROUP BY 1 HAVING sum(waiting) <> 0 OR sum(deferred) <> 0 ORDER BY 1`)({}),
  );
  return Object.fromEntries(rows.map(({ name, waiting, deferred }) => [name, [waiting, deferred]]));
}

/** Row by row, of all workspaces or of one. */
async function countedByRoute(world: TemporaryStore, workspace: string | undefined): Promise<readonly object[]> {
  return storeOf(world).connections.lend(({ sql }) =>
    sql.all<object, object>(`
      SELECT route, sum(pushes) AS pushes FROM (
        SELECT route, lane, workspace_id, targeted - recorded AS pushes FROM fan_out
        UNION ALL
        SELECT route, lane, workspace_id, 1 FROM delivery WHERE state = 'pending'
      ) AS each
      WHERE lane <> 'dead_letter' AND (CAST(:workspace AS TEXT) IS NULL OR workspace_id = (SELECT id FROM workspace WHERE slug = :workspace))
      GROUP BY route HAVING sum(pushes) > 0 ORDER BY route`)({ workspace: workspace ?? null }),
  );
}
