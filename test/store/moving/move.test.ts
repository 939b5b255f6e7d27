import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallName, QueueDepth, StoreClient } from '../../../src/store/calls.ts';
import type { Reply } from '../../../src/store/carriers/reply.ts';
import { TABLES } from '../../../src/store/moving/mapping.ts';
import { move, undoMove } from '../../../src/store/moving/move.ts';
import { openPostgres, type PostgresStore } from '../../../src/store/postgres/engine.ts';
import { ADA } from '../../support/cast.ts';
import { wayToDatabase } from '../../support/database-way.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { aFilledFolder, inFolder, look, sendAll, standing, waitingIn } from '../../support/moving.ts';
import { clusterFolder, temporarySchema } from '../../support/postgres.ts';
import { aNode } from '../../support/postgres-nodes.ts';
import { problemIn } from '../../support/problem.ts';
import { granted } from '../../support/refusals.ts';
import { NOW_MS, someSettings } from '../../support/store.ts';
import { aDevice, anEvent, tokenOf, workspaceIdOf } from '../../support/workspace.ts';

const test = suite('moving a store');
const wallMs = NOW_MS;
/** When retries are due, and nothing has expired. */
const LATER_MS = NOW_MS + 3_600_000;

test('A store goes to PostgreSQL and back with every row of every table, and each push waits once.', async () => {
  const folder = await aFilledFolder();
  const before = rowsOf(folder);
  assert.equal(
    Object.keys(before).filter((table) => before[table]?.length === 0),
    [],
  );
  const url = await temporarySchema();
  const there = await move({ from: { folder }, to: { url }, wallMs });
  const back = join(temporaryFolder(), 'back');
  const { tables } = await move({ from: { url }, to: { folder: back }, wallMs });
  const after = rowsOf(back);
  for (const table of Object.keys(before)) {
    assert.equal(after[table], JSON.parse(JSON.stringify(before[table]).replaceAll('\\u0000', '\uFFFD')), table);
  }
  assert.equal(waitingIn(back), waitingIn(folder));
  for (const { table, rows } of tables) assert.is(rows, before[table]?.length, table);
  assert.is(there.tables.find(({ table }) => table === 'device')?.rows, before.device?.length);
});

test('PostgreSQL sends what waited in SQLite, each push once, and nothing of it to whoever subscribes later.', async () => {
  const folder = await aFilledFolder();
  const waiting = waitingIn(folder);
  const url = await temporarySchema();
  await move({ from: { folder }, to: { url }, wallMs });
  const node = await aNode({ url, clock: standing(LATER_MS) });
  await addLater(node.calls);
  assert.equal(await sendAll(node.calls), waiting);
  assert.is(waitsIn(await node.calls.queueDepth({})), 0);
  await node.store.close();
});

test('SQLite sends what PostgreSQL had not settled, out or not, each push once.', async () => {
  const folder = await aFilledFolder();
  const waiting = waitingIn(folder);
  const url = await temporarySchema();
  await move({ from: { folder }, to: { url }, wallMs });
  const node = await aNode({ url, clock: standing(LATER_MS) });
  const settled = await sendAll(node.calls, { most: 9 });
  assert.ok(settled.length > 0 && (await sendAll(node.calls, { most: 8, isSettled: false })).length > 0);
  await node.store.close();
  const back = join(temporaryFolder(), 'back');
  await move({ from: { url }, to: { folder: back }, wallMs });
  const rest = await inFolder(back, LATER_MS, async (calls) => {
    await addLater(calls);
    const sent = await sendAll(calls);
    assert.is(waitsIn(await calls.queueDepth({})), 0);
    return sent;
  });
  assert.equal([...settled, ...rest].sort(), waiting);
});

test('Ids go on behind the highest ever given, usage is counted on, and a key is still that of its event.', async () => {
  const folder = await aFilledFolder();
  look(folder, (db) => db.exec("UPDATE sqlite_sequence SET seq = 7000 WHERE name <> 'subscription'"));
  const url = await temporarySchema();
  await move({ from: { folder }, to: { url }, wallMs });
  const node = await aNode({ url, clock: standing(LATER_MS) });
  const usage = await goesOn(node.calls);
  await node.store.close();
  const back = join(temporaryFolder(), 'back');
  await move({ from: { url }, to: { folder: back }, wallMs });
  assert.is(await inFolder(back, LATER_MS, goesOn), usage + 1);
  const highest = look(back, (db) =>
    ['event', 'device', 'channel', 'person', 'workspace', 'audit', 'import', 'remains'].map((table) =>
      db.prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(table),
    ),
  );
  for (const seq of highest) assert.ok(Number(seq) >= 7000, String(highest));
});

test('A target that is not empty is refused, in both directions, and stays as it is.', async () => {
  const folder = await aFilledFolder();
  const url = await temporarySchema();
  await move({ from: { folder }, to: { url }, wallMs });
  const other = await aFilledFolder();
  assert.match(
    (await problemIn(move({ from: { folder: other }, to: { url }, wallMs }))).message,
    /is not empty: there are rows in its table /,
  );
  assert.match(
    (await problemIn(move({ from: { url }, to: { folder: other }, wallMs }))).message,
    /has a database already/,
  );
  await inFolder(other, NOW_MS, async () => {});
  await aNode({ url }).then(({ store }) => store.close());
});

test('A store that was moved is used by nobody until that is undone, and not moved twice.', async () => {
  const folder = await aFilledFolder();
  const url = await temporarySchema();
  await move({ from: { folder }, to: { url }, wallMs });
  const told = /was moved to .*postgres at 2026-11-21T09:30/;
  assert.match((await problemIn(inFolder(folder, NOW_MS, async () => {}))).message, told);
  assert.match(
    (await problemIn(move({ from: { folder }, to: { url: await temporarySchema() }, wallMs }))).message,
    told,
  );
  assert.match((await undoMove({ folder }))?.place ?? '', /postgres/);
  assert.is(await undoMove({ folder }), null);
  await inFolder(folder, NOW_MS, async () => {});
  const back = join(temporaryFolder(), 'back');
  await move({ from: { url }, to: { folder: back }, wallMs });
  assert.match((await problemIn(aNode({ url }))).message, `was moved to ${back}`);
  assert.is((await undoMove({ url }))?.place, back);
  await aNode({ url }).then(({ store }) => store.close());
});

test('Nothing is moved beside a server: neither from nor to a folder or a database that one uses.', async () => {
  const folder = await aFilledFolder();
  const url = await temporarySchema();
  const node = await aNode({ url, node: 'alpha' });
  const inUse = /is in use by the server on alpha\. Stop every server/;
  assert.match((await problemIn(move({ from: { folder }, to: { url }, wallMs }))).message, inUse);
  assert.match((await problemIn(move({ from: { url }, to: { folder: temporaryFolder() }, wallMs }))).message, inUse);
  await node.store.close();
  await inFolder(folder, NOW_MS, async () => {
    assert.match((await problemIn(move({ from: { folder }, to: { url }, wallMs }))).message, 'is in use by');
    assert.match((await problemIn(move({ from: { url }, to: { folder }, wallMs }))).message, 'is in use by');
  });
});

test('A process that still has a database open when that was moved changes nothing in it, and joins it no more.', async () => {
  const url = await temporarySchema();
  await move({ from: { folder: await aFilledFolder() }, to: { url }, wallMs });
  const open = await openPostgres({ url, settings: someSettings() });
  await move({ from: { url }, to: { folder: join(temporaryFolder(), 'back') }, wallMs });
  for (const reply of [
    await asked(open, 'acceptEvent', anEvent(2)),
    await asked(open, 'createWorkspace', { slug: 'late' }),
  ]) {
    assert.is(reply.kind, 'unavailable');
    assert.match('reason' in reply ? reply.reason : '', 'everything was moved to ');
  }
  const joined = await open.connections
    .lend(({ ask }) => ask({ text: "SELECT join_node('late', '1', 9000)", values: [] }))
    .catch((error: Error) => error.message);
  assert.match(String(joined), 'everything was moved to ');
  await open.close();
});

test('A move that is broken off leaves its target empty and its source in use.', async () => {
  const folder = await aFilledFolder();
  const url = await temporarySchema();
  const to = join(temporaryFolder(), 'to');
  const onProgress = ({ table }: { table: string }) => {
    if (table === 'delivery') throw new Error('broken off');
  };
  for (const [from, target] of [
    [{ folder }, { url }],
    [{ url }, { folder: to }],
  ] as const) {
    const broken = await move({ from, to: target, wallMs, onProgress }).catch((error: Error) => error.message);
    assert.is(broken, 'broken off');
    if ('folder' in target) assert.equal(readdirSync(to), ['owner.lock']);
    if ('folder' in from) await inFolder(folder, NOW_MS, async () => {});
    else await aNode({ url }).then(({ store }) => store.close());
    if ('url' in target) await move({ from, to: target, wallMs });
  }
});

test('What the target cannot hold is told, and nothing of it is left there.', async () => {
  const folder = await aFilledFolder();
  const url = await temporarySchema();
  look(folder, (db) => db.exec('PRAGMA foreign_keys = OFF; UPDATE member SET user_id = 99 WHERE user_id = 1'));
  const { message } = await problemIn(move({ from: { folder }, to: { url }, wallMs }));
  assert.match(message, /violates foreign key constraint/);
  await move({ from: { folder: await aFilledFolder() }, to: { url }, wallMs });
});

test('A database that a newer pushctl made is not moved, as nobody here knows what is in it.', async () => {
  const url = await temporarySchema();
  const { store } = await aNode({ url });
  await store.connections.lend(({ execute }) => execute('UPDATE pushctl_schema SET version = version + 1'));
  await store.close();
  const unknown = /does not know all tables\. Move it with the newer pushctl/;
  assert.match((await problemIn(move({ from: { url }, to: { folder: temporaryFolder() }, wallMs }))).message, unknown);
  assert.match(
    (await problemIn(move({ from: { folder: await aFilledFolder() }, to: { url }, wallMs }))).message,
    unknown,
  );
});

test('Where the connection is lost during the commit, the source is not used until an operator has looked.', async () => {
  const way = await wayToDatabase(await clusterFolder());
  const schema = new URL(await temporarySchema());
  const url = way.url(schema.searchParams.get('options') ?? '');
  const folder = await aFilledFolder();
  // Migrations commit before.
  const onProgress = () => way.loseAnswerTo('COMMIT');
  const { message } = await problemIn(move({ from: { folder }, to: { url }, wallMs, onProgress }));
  assert.match(message, /lost during the commit.*nobody knows whether all is there.*pushctl move --undo/);
  assert.match((await problemIn(inFolder(folder, NOW_MS, async () => {}))).message, /was moved to/);
  await way.close();
});

test('Between two of a kind, and from a database without pushctl in it, nothing is moved.', async () => {
  const [folder, url] = [temporaryFolder(), await temporarySchema()];
  assert.match((await problemIn(move({ from: { folder }, to: { folder }, wallMs }))).message, /pushctl backup/);
  assert.match((await problemIn(move({ from: { url }, to: { url }, wallMs }))).message, /pg_dump/);
  assert.match((await problemIn(move({ from: { url }, to: { folder }, wallMs }))).message, /nothing of pushctl/);
  assert.match((await problemIn(move({ from: { folder }, to: { url }, wallMs }))).message, /there is no database/);
});

test.run();

async function asked({ run }: PostgresStore, name: CallName, args: unknown): Promise<Reply> {
  const [reply] = await run([{ name, args }]);
  return reply ?? { kind: 'unavailable', reason: 'no reply' };
}

function waitsIn(depths: readonly QueueDepth[]): number {
  return depths.reduce((sum, { waiting, deferred }) => sum + waiting + deferred, 0);
}

/** A device that comes to all channels once everything is accepted. */
async function addLater(calls: StoreClient): Promise<void> {
  const device = aDevice({ token: tokenOf(99), subscribe: ['alerts', 'builds'] });
  granted(await calls.addDevice({ workspace: 'acme', email: ADA, ...device }));
}

/** Posts once more; answers how many events count in this month. */
async function goesOn(calls: StoreClient): Promise<number> {
  const workspaceId = await workspaceIdOf(calls, 'umbrella');
  const again = await calls.acceptEvent(anEvent(workspaceId, { idempotencyKey: 'new' }));
  assert.is(again.kind, 'replayed');
  const { kind } = await calls.acceptEvent(anEvent(workspaceId));
  assert.is(kind, 'accepted');
  return (await calls.readUsage({ workspaceId })).used;
}

type Rows = Readonly<Record<string, readonly string[]>>;

/**
 * All that a folder's database has, table by table, with U+FFFD for U+0000, which PostgreSQL does not hold. Numbers of subscriptions, and whatever points at one, as their
 * places in their channel: they are numbered anew on the way. A fan-out at its end goes back by one, to be found.
 */
function rowsOf(folder: string): Rows {
  const place = (channel: string, number: string) => `(
    SELECT count(*) FROM subscription AS other WHERE other.channel_id = ${channel} AND other.number <= ${number})`;
  const changed: Readonly<Record<string, string>> = {
    subscription: `SELECT channel_id, device_id, user_id, route, active, ${place('subscription.channel_id', 'number')}
      FROM subscription ORDER BY device_id, channel_id`,
    event: `SELECT *, ${place('event.channel_id', 'last_subscription')} AS last_subscription FROM event`,
    fan_out: `SELECT *, ${place('fan_out.channel_id', 'min(cursor, last - 1)')} AS cursor, ${place('fan_out.channel_id', 'last')} AS last
      FROM fan_out`,
    resend: `SELECT *, ${place('(SELECT channel_id FROM event WHERE id = event_id)', 'cursor')} AS cursor FROM resend`,
    import_line: 'SELECT import_id, line, device FROM import_line',
  };
  const names = TABLES.flatMap(({ sqlite }) => sqlite ?? []);
  return look(folder, (db) => {
    const rows = (name: string) => db.prepare(changed[name] ?? `SELECT * FROM ${name}`).all();
    const written = (row: unknown) => JSON.stringify(row).replaceAll('\\u0000', '\uFFFD');
    return Object.fromEntries(names.map((name) => [name, rows(name).map(written)]));
  });
}
