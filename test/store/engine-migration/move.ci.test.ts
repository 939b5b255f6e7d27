import { chownSync, existsSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { QueueDepth, StoreClient } from '../../../src/store/calls.ts';
import { databasePath } from '../../../src/store/data-folder.ts';
import { NOT_MOVED } from '../../../src/store/engine-migration/exceptions.ts';
import { move, undoMove } from '../../../src/store/engine-migration/move.ts';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import type { Db } from '../../../src/store/sqlite/transaction.ts';
import { ADA } from '../../support/cast.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { aFilledFolder, inFolder, look, sendAll, standing, waitingIn } from '../../support/moving.ts';
import { clusterFolder, temporarySchema } from '../../support/postgres.ts';
import { aNode } from '../../support/postgres-nodes.ts';
import { problemIn } from '../../support/problem.ts';
import { granted } from '../../support/refusals.ts';
import { skipWhere } from '../../support/skip.ts';
import { NOW_MS } from '../../support/store.ts';
import { aDevice, anEvent, tokenOf, workspaceIdOf } from '../../support/workspace.ts';

const asRoot = skipWhere(process.geteuid?.() === 0 ? null : 'only root may give files away', test);
const NOBODY = 65_534;
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

test('PostgreSQL sends the pushes that waited in SQLite, each once, and none to members who subscribe later.', async () => {
  const folder = await aFilledFolder();
  const waiting = waitingIn(folder);
  const url = await temporarySchema();
  await move({ from: { folder }, to: { url }, wallMs });
  const node = await aNode({ url, clock: standing(LATER_MS) });
  await addLater(node.calls);
  assert.equal(await sendAll(node.calls), waiting);
  assert.is(waitsIn(await node.calls.queueDepth({})), 0);
  assert.is((await node.calls.releaseDue({})).released.length, 1);
  await node.store.close();
});

/** Owned by a killed node that no other has evicted. */
const OUT_AT_A_DEAD_NODE = `
  UPDATE fan_out SET owner = 99;
  UPDATE delivery SET owner = 99 WHERE state = 'pending'`;

test('SQLite sends the pushes that PostgreSQL had not settled, out or not, each once.', async () => {
  const folder = await aFilledFolder();
  const waiting = waitingIn(folder);
  const url = await temporarySchema();
  await move({ from: { folder }, to: { url }, wallMs });
  const node = await aNode({ url, clock: standing(LATER_MS) });
  const settled = await sendAll(node.calls, { most: 9 });
  assert.ok(settled.length > 0 && (await sendAll(node.calls, { most: 8, isSettled: false })).length > 0);
  await node.execute(OUT_AT_A_DEAD_NODE);
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
    ['event', 'device', 'channel', 'person', 'workspace', 'audit', 'import', 'cleanup_job'].map((table) =>
      db.prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(table),
    ),
  );
  for (const seq of highest) assert.ok(Number(seq) >= 7000, String(highest));
});

/** Changes the database as if another build had made it: a column less in one table, another order in one. */
const OTHER_BUILD = `
  ALTER TABLE heartbeat DROP COLUMN last_output;
  ALTER TABLE event DROP COLUMN occurred_at;
  ALTER TABLE event ADD COLUMN occurred_at INTEGER;
  UPDATE pushctl_schema SET digest = 'another'`;

test('A store of another build goes to an empty folder, and from PostgreSQL there and back, with every row.', async () => {
  const folder = await aFilledFolder();
  const before = rowsOf(folder);
  look(folder, (db) => db.exec(OTHER_BUILD));
  const to = join(temporaryFolder(), 'to');
  await move({ from: { folder }, to: { folder: to }, wallMs });
  assert.equal(Object.keys(rowsOf(to)), Object.keys(before));
  for (const table of ['device', 'subscription', 'delivery', 'webhook_message', 'audience'])
    assert.equal(rowsOf(to)[table], before[table], table);
  const url = await temporarySchema();
  await move({ from: { folder: to }, to: { url }, wallMs });
  await alter(url, "UPDATE pushctl_schema SET digest = 'another'; ALTER TABLE heartbeat DROP COLUMN last_output");
  const node = aNode({ url }).catch(({ message }: Error) => message);
  assert.match(String(await node), /different build of pushctl.*pushctl move/);
  const back = join(temporaryFolder(), 'back');
  await move({ from: { url }, to: { folder: back }, wallMs });
  assert.equal(rowsOf(back).device, before.device);
});

test('A store of another build with a column that nothing takes is left as it is.', async () => {
  const folder = await aFilledFolder();
  look(folder, (db) =>
    db.exec("ALTER TABLE device ADD COLUMN color TEXT; UPDATE pushctl_schema SET digest = 'another'"),
  );
  const to = join(temporaryFolder(), 'to');
  const { message } = await problemIn(move({ from: { folder }, to: { folder: to }, wallMs }));
  assert.match(message, /nothing takes the column color of device/);
  assert.not(existsSync(databasePath(to)));
  assert.is(await undoMove({ folder }), null);
});

async function alter(url: string, sql: string): Promise<void> {
  const connections = connectionsTo({ url });
  await connections.lend(({ execute }) => execute(sql));
  await connections.close();
}

asRoot(
  'Root moves the folder of another user as that one, and finds the database by what only root may read.',
  async () => {
    const folder = await aFilledFolder();
    const back = temporaryFolder();
    for (const path of [folder, databasePath(folder), back]) chownSync(path, NOBODY, NOBODY);
    const secret = temporaryFolder();
    symlinkSync(join(await clusterFolder(), '.s.PGSQL.5432'), join(secret, '.s.PGSQL.5432'));
    const url = new URL(await temporarySchema());
    url.searchParams.set('host', secret);
    await move({ from: { folder }, to: { url: url.href }, wallMs });
    await move({ from: { url: url.href }, to: { folder: back }, wallMs });
    for (const made of [folder, back]) {
      for (const file of readdirSync(made)) assert.is(statSync(join(made, file)).uid, NOBODY, file);
    }
    assert.is(process.geteuid?.(), 0);
  },
);

test.run();

function waitsIn(depths: readonly QueueDepth[]): number {
  return depths.reduce((sum, { waiting, deferred }) => sum + waiting + deferred, 0);
}

function tablesIn(db: Db): readonly string[] {
  return db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name",
    )
    .pluck()
    .all();
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
 * Reads all tables of a folder's database, with U+FFFD for U+0000, which PostgreSQL does not hold. Subscriptions get
 * other numbers on the way. So their numbers, and references to them, become their places in their channel. A fan-out
 * at its end goes back by one, to be found.
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
  return look(folder, (db) => {
    const names = tablesIn(db).filter((name) => !NOT_MOVED.has(name));
    const rows = (name: string) => db.prepare(changed[name] ?? `SELECT * FROM ${name}`).all();
    const written = (row: unknown) => JSON.stringify(row).replaceAll('\\u0000', '\uFFFD');
    return Object.fromEntries(names.map((name) => [name, rows(name).map(written)]));
  });
}
