import * as assert from 'uvu/assert';
import { type AcceptAnswer, type AcceptArgs, RightsLost } from '../../../src/store/calls.ts';
import { acceptTogether } from '../../../src/store/postgres/accept/accepting.ts';
import { AssumedSounds } from '../../../src/store/postgres/accept/assumed-sounds.ts';
import { type Connection, connectionsTo } from '../../../src/store/postgres/connections.ts';
import { LOCKS, takingLock } from '../../../src/store/postgres/locks.ts';
import { NOW_MS } from '../../../src/store/postgres/sql.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { aCluster, aNode, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { someSettings } from '../../support/store.ts';
import { until, untilIs } from '../../support/until.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';

const test = nodeTests('accepting on PostgreSQL');
const ONE_PHONE = { devices: { ios: 1 } };

test('If nodes race for idempotency keys, one has each of them, and all answer its record', async () => {
  const { nodes, workspaceId } = await aCluster(3, ONE_PHONE);
  const keys = Array.from({ length: 300 }, (_, n) => `key-${n % 60}`);
  const answers = await Promise.all(
    keys.map((idempotencyKey, n) => onNode(nodes, n).calls.acceptEvent(anEvent(workspaceId, { idempotencyKey }))),
  );
  const records = new Map<string, Set<string>>();
  for (const [n, answer] of answers.entries()) {
    const key = keys[n] ?? '';
    records.set(key, (records.get(key) ?? new Set()).add(JSON.stringify('event' in answer && answer.event)));
  }
  assert.is(answers.filter(({ kind }) => kind === 'accepted').length, 60);
  assert.is(answers.filter(({ kind }) => kind === 'replayed').length, 240);
  assert.ok([...records.values()].every(({ size }) => size === 1));
  assert.is((await nodes[0].calls.readUsage({ workspaceId })).used, 60);
});

test('Nodes that race for an allowance accept exactly as many events as it has', async () => {
  const { nodes, workspaceId } = await aCluster(3, ONE_PHONE);
  await limitTo(nodes[0], 100);
  const answers = await Promise.all(
    Array.from({ length: 240 }, (_, n) => onNode(nodes, n).calls.acceptEvent(anEvent(workspaceId))),
  );
  assert.is(answers.filter(({ kind }) => kind === 'accepted').length, 100);
  assert.is(answers.filter(({ kind }) => kind === 'allowance_exhausted').length, 140);
  assert.is((await nodes[0].calls.readUsage({ workspaceId })).used, 100);
});

test('Requests that are sent several times at once take one place of an allowance', async () => {
  const { nodes, workspaceId } = await aCluster(2, ONE_PHONE);
  await limitTo(nodes[0], 50);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      onNode(nodes, n).calls.acceptEvent(anEvent(workspaceId, { idempotencyKey: `key-${n >> 2}` })),
    ),
  );
  assert.is(answers.filter(({ kind }) => kind === 'accepted').length, 50);
  assert.is(answers.filter(({ kind }) => kind === 'replayed').length, 150);
});

test('Events that were under way without an allowance count once there is one', async () => {
  const { nodes, workspaceId } = await aCluster(2, ONE_PHONE);
  const [{ calls, store }, other] = nodes;
  granted(await calls.setPlan({ name: 'small', monthlyEvents: 5 }));
  const done: string[] = [];
  const posts: Promise<unknown>[] = [];
  await store.connections.transaction('write', async (connection) => {
    const deps = {
      settings: someSettings(),
      node: 1,
      home: 0,
      limited: new Set<number>(),
      canWait: true,
      sounds: new AssumedSounds(),
    };
    const events = Array.from({ length: 5 }, () => ({ isCheck: false, args: anEvent(workspaceId) }));
    await acceptTogether(connection, events, deps);
    const waiting = async () => (await waitingFor(connection, 'plans')) + done.length;
    posts.push(calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }).finally(() => done.push('changed')));
    await untilIs('the new plan waits, or counts', () => waiting(), 1);
    posts.push(other.calls.acceptEvent(anEvent(workspaceId)).finally(() => done.push('answered')));
    await untilIs('the next event waits, or is answered', () => waiting(), 2);
  });
  const [, answer] = await Promise.all(posts);
  assert.is((answer as AcceptAnswer).kind, 'allowance_exhausted');
});

test('An event that waited for its turn is received when that comes, as its id is given then', async () => {
  const { nodes, workspaceId } = await aCluster(1, ONE_PHONE);
  const [{ calls, store }] = nodes;
  await limitTo(nodes[0], 5);
  await calls.acceptEvent(anEvent(workspaceId));
  const { nowMs, post } = await store.connections.transaction('write', async ({ sql, execute }) => {
    await execute('SELECT 1 FROM usage_of_node FOR UPDATE');
    const post = calls.acceptEvent(anEvent(workspaceId));
    const blocked = sql.value<object, number>(
      'SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))',
    );
    await untilIs('the event waits', () => blocked({}), 1);
    return { nowMs: (await sql.value<object, number>(`SELECT ${NOW_MS}`)({})) ?? 0, post: { answer: post } };
  });
  const answer = await post.answer;
  assert.ok(answer.kind === 'accepted' && Date.parse(answer.event.received_at) >= nowMs);
});

test('A check without acceptance takes no key, no place and no number', async () => {
  const { nodes, workspaceId } = await aCluster(1, ONE_PHONE);
  const [{ calls, store }] = nodes;
  await limitTo(nodes[0], 1);
  const { uuid: _, ...event } = anEvent(workspaceId, { idempotencyKey: 'once' });
  const checked = await Promise.all([calls.checkEvent(event), calls.checkEvent(event)]);
  assert.equal(checked, [
    { kind: 'valid', targeted: 1 },
    { kind: 'valid', targeted: 1 },
  ]);
  const rows = await store.connections.lend(({ sql }) =>
    sql.value<object, number>('SELECT (SELECT count(*) FROM event) + (SELECT count(*) FROM idempotency_key)')({}),
  );
  assert.is(rows, 0);
  const answer = await calls.acceptEvent(anEvent(workspaceId, { idempotencyKey: 'once' }));
  assert.is(answer.kind === 'accepted' && answer.eventId, 1);
  assert.is((await calls.checkEvent(event)).kind, 'replayed');
  assert.is((await calls.checkEvent({ ...event, idempotencyKey: null })).kind, 'allowance_exhausted');
});

test('A key that another node has revoked is refused by the next request', async () => {
  const { nodes, workspaceId, issueKey } = await aCluster(2, ONE_PHONE);
  const { id } = await issueKey();
  const post = (node: TestNode) =>
    node.calls.acceptEvent(anEvent(workspaceId), { kind: 'key', id, scope: 'events:write' }).catch((error) => error);
  assert.is((await post(onNode(nodes, 1))).kind, 'accepted');
  granted(await nodes[0].calls.revokeKey({ id }));
  const error: unknown = await post(onNode(nodes, 1));
  assert.instance(error, RightsLost);
  assert.is((error as RightsLost).lost, 'key_revoked');
});

test('Events do not wait for a control change', async () => {
  const { nodes, workspaceId } = await aCluster(1, ONE_PHONE);
  const [{ calls, store }] = nodes;
  const answer = await store.connections.transaction('write', async (connection) => {
    await connection.execute(takingLock('changes'));
    return calls.acceptEvent(anEvent(workspaceId));
  });
  assert.is(answer.kind, 'accepted');
});

test('A request that waits for its allowance or for an idempotency key holds up no other key, on any node', async () => {
  const { nodes, workspaceId, ...workspace } = await aCluster(2, ONE_PHONE);
  await limitTo(nodes[0], 100);
  const { id: heldKey } = await workspace.issueKey();
  const other = await workspace.addWorkspace('umbrella', { channels: ['alerts'] });
  const { id: freeKey } = await other.issueKey({ workspace: 'umbrella' });
  const post = (node: TestNode, id: string, of: number, with_: Partial<AcceptArgs> = {}) =>
    node.calls.acceptEvent(anEvent(of, { ...with_, perMinute: 1_000 }), { kind: 'key', id, scope: 'events:write' });
  for (const node of nodes) await post(node, heldKey, workspaceId);
  const held: Promise<AcceptAnswer>[] = [];
  await nodes[0].store.connections.transaction('write', async ({ sql, execute }) => {
    await execute('SELECT 1 FROM usage_of_node WHERE node_id = 0 FOR UPDATE');
    await execute(`INSERT INTO idempotency_key (workspace_id, key, event_id) VALUES (${other.workspaceId}, 'held', 0)`);
    const waiting = sql.value<object, number>(`
      SELECT count(*) FROM pg_locks AS lock WHERE NOT granted AND (
        pg_backend_pid() = ANY (pg_blocking_pids(pid)) OR EXISTS (
          SELECT 1 FROM unnest(pg_blocking_pids(lock.pid)) AS first WHERE pg_backend_pid() = ANY (pg_blocking_pids(first))
        )
      )
    `);
    for (const node of nodes) held.push(post(node, heldKey, workspaceId));
    for (const node of nodes) held.push(post(node, freeKey, other.workspaceId, { idempotencyKey: 'held' }));
    await untilIs('all of them wait', () => waiting({}), 4);
    for (let nth = 0; nth < 40; nth += 1) {
      for (const node of nodes) assert.is((await post(node, freeKey, other.workspaceId)).kind, 'accepted');
    }
    await execute('DELETE FROM idempotency_key');
  });
  const kinds = (await Promise.all(held)).map(({ kind }) => kind);
  assert.equal(kinds.toSorted(), ['accepted', 'accepted', 'accepted', 'replayed']);
});

test('An event that is accepted beside the deletion of its channel leaves nothing once that is removed', async () => {
  const { nodes, workspaceId } = await aCluster(2, ONE_PHONE);
  const [{ calls, store }, other] = nodes;
  for (let round = 0; round < 20; round += 1) {
    granted(await calls.createChannel({ workspace: 'acme', slug: `channel-${round}` }));
    await Promise.all([
      ...Array.from({ length: 10 }, () =>
        other.calls.acceptEvent(anEvent(workspaceId, { channel: `channel-${round}` })),
      ),
      calls.deleteChannel({ workspace: 'acme', slug: `channel-${round}` }),
    ]);
  }
  while (!(await calls.pruneStep({})).done);
  const rows = await store.connections.lend(({ sql }) =>
    sql.value<object, number>('SELECT (SELECT count(*) FROM event) + (SELECT count(*) FROM fan_out)')({}),
  );
  assert.is(rows, 0);
});

test('A listener for groups may throw, and events are accepted all the same', async () => {
  const onGroup = () => {
    throw new TypeError('a bug');
  };
  const { calls, store } = await aNode({ url: await temporarySchema(), onGroup });
  const { workspaceId } = await aWorkspace(calls);
  for (let nth = 0; nth < 3; nth += 1) assert.is((await calls.acceptEvent(anEvent(workspaceId))).kind, 'accepted');
  await store.close();
});

test('A text that PostgreSQL cannot hold is stored with U+FFFD in its place, and repeated requests are the same', async () => {
  const { nodes, workspaceId } = await aCluster(1, ONE_PHONE);
  const [{ calls }] = nodes;
  const odd = { title: 'a\0b', idempotencyKey: 'odd\0', description: '\ud800' };
  assert.is((await calls.acceptEvent(anEvent(workspaceId, odd))).kind, 'accepted');
  const again = await calls.acceptEvent(anEvent(workspaceId, odd));
  assert.ok(again.kind === 'replayed' && again.isSame);
});

test('A node that found its tables empty still reads a few rows for each event after thousands', async () => {
  const { nodes, workspaceId, url } = await aCluster(1, ONE_PHONE);
  const [{ calls, store }] = nodes;
  await calls.acceptEvent(anEvent(workspaceId, { idempotencyKey: 'first' }));
  await store.connections.lend(({ execute }) => execute(MANY_OTHERS));
  const groups = 20;
  const size = 250;
  for (let group = 0; group < groups; group += 1) {
    const events = Array.from({ length: size }, (_, n) => anEvent(workspaceId, { idempotencyKey: `${group}-${n}` }));
    await Promise.all(events.map((event) => calls.acceptEvent(event)));
  }
  const schema = new URL(url).searchParams.get('options')?.split('=')[1];
  // Its connections report at their ends what they have read.
  await store.close();
  const connections = connectionsTo({ url });
  const counted = () =>
    connections.lend(({ sql }) =>
      sql.all<object, { name: string; inserted: number; read: number }>(`
        SELECT relname AS name, n_tup_ins AS inserted, coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) AS read
        FROM pg_stat_user_tables WHERE schemaname = '${schema}'
          AND relname IN ('event', 'idempotency_key', 'channel', 'audience', 'usage_of_node', 'tally')
      `)({}),
    );
  const events = groups * size + 1;
  await until('all insertions are counted', async () =>
    (await counted()).some(({ name, inserted }) => name === 'event' && inserted === events),
  );
  for (const { name, read } of await counted())
    assert.ok(read <= 3 * events, `${name}: ${read} rows, ${events} events`);
  await connections.close();
});

test.run();

/** Workspaces with a channel each, after a plan was made. */
const MANY_OTHERS = `
  INSERT INTO workspace (slug, name, created_at) SELECT 'other-' || n, 'x', 0 FROM generate_series(1, 3000) AS n;
  INSERT INTO channel (workspace_id, slug, name, created_at)
    SELECT id, 'alerts', 'x', 0 FROM workspace WHERE slug LIKE 'other-%';
  INSERT INTO audience (channel_id, route, devices)
    SELECT id, route, 5 FROM channel, unnest(ARRAY['apns_production', 'fcm']) AS route WHERE workspace_id <> 1`;

function onNode(nodes: readonly TestNode[], n: number): TestNode {
  return nodes[n % nodes.length] as TestNode;
}

/** How many wait for a lock of this store. */
async function waitingFor({ sql }: Connection, lock: keyof typeof LOCKS): Promise<number> {
  const count = sql.value<{ lock: number }, number>(`
    SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND classid = CAST(:lock AS INTEGER)::oid
      AND objid = current_schema()::text::regnamespace::oid
  `);
  return (await count({ lock: LOCKS[lock] })) ?? 0;
}

async function limitTo({ calls }: TestNode, monthlyEvents: number): Promise<void> {
  granted(await calls.setPlan({ name: 'small', monthlyEvents }));
  granted(await calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
}
