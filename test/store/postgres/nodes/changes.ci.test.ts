import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Topic } from '../../../../src/store/call.ts';
import type { StoreClient } from '../../../../src/store/calls.ts';
import { openPostgres } from '../../../../src/store/postgres/engine.ts';
import { startDatabaseProxy } from '../../../support/database-proxy.ts';
import { clusterFolder, temporarySchema } from '../../../support/postgres.ts';
import { aNode, type TestNode } from '../../../support/postgres-nodes.ts';
import { granted } from '../../../support/refusals.ts';
import { Resources } from '../../../support/resources.ts';
import { someSettings } from '../../../support/store.ts';
import { until, untilIs } from '../../../support/until.ts';
import { anEvent, aWorkspace } from '../../../support/workspace.ts';

const CHANGES: readonly (readonly [Topic, string, (calls: StoreClient) => Promise<unknown>])[] = [
  ['keys', 'renames a channel', (calls) => calls.updateChannel({ workspace: 'acme', slug: 'alerts', newSlug: 'news' })],
  ['sessions', 'renames a workspace', (calls) => calls.renameWorkspace({ slug: 'acme', name: 'Acme' })],
  ['routes', 'pauses a route', (calls) => calls.pauseRoute({ route: 'fcm' })],
  ['routes', 'resumes a route', (calls) => calls.resumeRoute({ route: 'fcm' })],
  ['cleanup', 'deletes a channel', (calls) => calls.deleteChannel({ workspace: 'acme', slug: 'alerts' })],
];

test("A node's change is reported there before its answer, and at the others soon after it", async () => {
  for (const [topic, name, change] of CHANGES) {
    await using scene = await twoNodes();
    const [node, other] = scene.nodes;
    const touched: string[] = [];
    node.store.onTouched(topic, () => void touched.push('one'));
    other.store.onTouched(topic, () => void touched.push('other'));
    await change(node.calls);
    assert.ok(touched.includes('one'), name);
    await until(`the other hears that one ${name}`, () => touched.includes('other'));
  }
});

test('A node that hears no notices finds out by itself what was touched, and says that it hears none', async () => {
  await using scene = await twoNodes({ listenUrl: 'postgres://localhost:1/none' });
  const [node, deaf] = scene.nodes;
  const touched: string[] = [];
  deaf.store.onTouched('keys', () => void touched.push('keys'));
  granted(await node.calls.createChannel({ workspace: 'acme', slug: 'news' }));
  granted(await node.calls.deleteChannel({ workspace: 'acme', slug: 'news' }));
  await until('it has looked', () => touched.length > 0);
  await until('the other one hears', async () => (await hearing(node)).includes('one'));
  assert.equal(await hearing(node), ['one']);
});

test('A node whose listening connection ends listens again, and reports that it may have missed something', async () => {
  await using scene = await twoNodes();
  const [node, other] = scene.nodes;
  const received: string[] = [];
  const missed: string[] = [];
  other.store.onNotice('words', (payload) => void received.push(payload));
  other.store.onMissed(() => void missed.push('something'));
  // Changes missed before it began to listen are reported by then.
  await until('the other hears', async () => (await hearing(node)).includes('other'));
  const before = missed.length;
  await endListening(scene.url);
  await until('it hears again', () => missed.length > before || missed.length);
  node.store.notify('words', 'to the others');
  await until('it is notified', () => received.includes('to the others'));
});

test('Once a node is evicted, it and all others report that its last notices may be lost', async () => {
  await using scene = await twoNodes();
  const [node, other] = scene.nodes;
  const third = await aNode({ url: scene.url, node: 'third' });
  const missed = await missedBy({ node, other, third });
  await other.execute("UPDATE node SET lease_end = 0 WHERE name = 'other'");
  await until('all report it', () => new Set(missed).size === 3 || missed.join());
  await third.store.close();
});

test('A node that leaves makes no other report a loss', async () => {
  await using scene = await twoNodes();
  const [node, other] = scene.nodes;
  const missed = await missedBy({ node });
  await other.store.close();
  assert.equal(await node.value("SELECT number FROM change WHERE topic = 'missed'"), undefined);
  assert.equal(missed, []);
});

test('If a node could not send a notice, it and the others report a loss once the database works again', async () => {
  await using scene = await twoNodes();
  const [node, other] = scene.nodes;
  const missed = await missedBy({ node, other });
  await node.execute(`
    ALTER FUNCTION notify_nodes RENAME TO notify_all;
    CREATE FUNCTION notify_nodes(notice TEXT) RETURNS VOID LANGUAGE plpgsql AS $$ BEGIN
      IF notice LIKE 'server.words %' THEN RAISE 'not sent'; END IF;
      PERFORM notify_all(notice);
    END $$`);
  node.store.notify('words', 'lost');
  await until('both report it', () => new Set(missed).size === 2 || missed.join());
});

test('A listening connection that goes silent is replaced, and is not left behind in the database', async () => {
  const proxy = await startDatabaseProxy(await clusterFolder());
  const schema = await temporarySchema();
  const listenUrl = `${proxy.url(new URL(schema).searchParams.get('options') ?? '')}&application_name=far`;
  await using scene = await twoNodes({ url: schema, listenUrl });
  const [node] = scene.nodes;
  await until('the other hears', async () => (await hearing(node)).includes('other'));
  const far = () =>
    node.store.connections.lend(({ sql }) =>
      sql.values<object, number>("SELECT pid FROM pg_stat_activity WHERE application_name = 'far'")({}),
    );
  const [before] = await far();
  assert.ok(before);
  proxy.freeze();
  await until('it is gone', async () => !(await far()).includes(before));
  proxy.fix();
  await untilIs('there is another one', async () => (await far()).length, 1);
  await proxy.close();
});

test('A node notifies the others, and not itself; a command notifies all of them', async () => {
  await using scene = await twoNodes();
  const [node, other] = scene.nodes;
  const received: string[] = [];
  for (const [name, { store }] of Object.entries({ node, other })) {
    store.onNotice('words', (payload) => void received.push(`${name}: ${payload}`));
    store.onNotice('numbers', (payload) => void received.push(`${name}: number ${payload}`));
  }
  await untilItHears(node, other);
  await untilItHears(other, node);
  received.length = 0;
  node.store.notify('words', 'two words');
  await until('the other is notified', () => received.length > 0);
  const command = await openPostgres({ url: scene.url, settings: someSettings() });
  command.notify('numbers', '7');
  await command.close();
  await untilIs('both are notified', () => received.length, 3);
  assert.equal(received.sort(), ['node: number 7', 'other: number 7', 'other: two words']);
});

test('A text too long for a notice is refused at once', async () => {
  await using scene = await twoNodes();
  assert.throws(() => scene.nodes[0].store.notify('words', 'é'.repeat(2_049)), /4096 bytes/);
});

test('A node knows how many live: as others join, leave and are evicted', async () => {
  await using scene = await twoNodes();
  const [node, other] = scene.nodes;
  const counts: number[] = [];
  node.store.onLiving((count) => void counts.push(count));
  await until('both live', () => counts.at(-1) === 2);
  const third = await aNode({ url: scene.url, node: 'third' });
  await until('three live', () => counts.at(-1) === 3);
  await third.store.close();
  await until('two live', () => counts.at(-1) === 2);
  await other.execute("UPDATE node SET lease_end = 0 WHERE name = 'other'");
  await until('it has joined again', () => counts.at(-1) === 2 && other.store.node !== null);
});

test('A node is woken by an event that another accepts', async () => {
  await using scene = await twoNodes();
  const [node, other] = scene.nodes;
  const { workspaceId } = await aWorkspace(node.calls, { workspace: 'other', devices: { ios: 1 } });
  const touched: string[] = [];
  other.store.onTouched('queue', () => void touched.push('queue'));
  await untilIs('it knows of the other', () => living(node), 2);
  await node.calls.acceptEvent(anEvent(workspaceId));
  await until('it is woken', () => touched.length > 0);
});

test('A node that stops leaves at once, and its row with it', async () => {
  await using scene = await twoNodes();
  const [node, other] = scene.nodes;
  await other.store.close();
  const names = await node.store.connections.lend(({ sql }) => sql.values<object, string>('SELECT name FROM node')({}));
  assert.equal(names, ['one']);
});

test('A node reports its address and state with each heartbeat', async () => {
  await using opened = new Resources();
  const node = opened.add(closing(await aNode({ url: await temporarySchema() })));
  node.store.introduce(() => ({ address: 'http://10.0.0.1:8080', health: { paused: ['fcm'] } }));
  const row = () =>
    node.store.connections.lend(({ sql }) =>
      sql.get<object, { address: string; health: string; off: number }>(
        'SELECT address, health, clock_off_ms AS off FROM node',
      )({}),
    );
  await untilIs('it has reported', async () => (await row())?.address, 'http://10.0.0.1:8080');
  const reported = await row();
  assert.equal(JSON.parse(reported?.health ?? ''), { paused: ['fcm'] });
  // Both run on this machine.
  assert.ok(Math.abs(reported?.off ?? Number.NaN) < 60_000);
});

test.run();

async function twoNodes({
  url: given,
  ...options
}: {
  readonly url?: string;
  readonly listenUrl?: string;
} = {}): Promise<AsyncDisposable & { readonly nodes: readonly [TestNode, TestNode]; readonly url: string }> {
  const opened = new Resources();
  const url = given ?? (await temporarySchema());
  const node = opened.add(closing(await aNode({ url, node: 'one' })));
  const other = opened.add(closing(await aNode({ url, node: 'other', ...options })));
  await aWorkspace(node.calls, {});
  return { nodes: [node, other], url, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** Closes it once. */
function closing(node: TestNode): TestNode & { close(): Promise<void> } {
  return { ...node, close: () => node.store.close().catch(() => {}) };
}

function living({ store }: TestNode): number {
  const counts: number[] = [];
  store.onLiving((count) => void counts.push(count));
  return counts[0] ?? 0;
}

/** The names of the nodes that notices reach. */
async function hearing({ store }: TestNode): Promise<readonly string[]> {
  return store.connections.lend(({ sql }) =>
    sql.values<object, string>('SELECT name FROM node WHERE hears ORDER BY name')({}),
  );
}

/** It may just be beginning to listen. */
/** The names of the nodes that report a loss from now on, once all hear notices. */
async function missedBy(nodes: Readonly<Record<string, TestNode>>): Promise<string[]> {
  const missed: string[] = [];
  const [first] = Object.values(nodes);
  await until(
    'all hear',
    async () => first !== undefined && (await hearing(first)).length >= Object.keys(nodes).length,
  );
  for (const [name, { store }] of Object.entries(nodes)) store.onMissed(() => void missed.push(name));
  return missed;
}

async function untilItHears(from: TestNode, to: TestNode): Promise<void> {
  let hears = false;
  to.store.onNotice('test', () => {
    hears = true;
  });
  await until('it hears', () => {
    from.store.notify('test', '');
    return hears;
  });
}

async function endListening(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'pushctl listening' AND query = 'LISTEN pushctl_' || current_schema()::text::regnamespace::oid`);
  await client.end();
}
