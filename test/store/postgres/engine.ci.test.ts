import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isRefusal } from '../../../src/store/calls.ts';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { ConnectionLost } from '../../../src/store/postgres/errors.ts';
import { takingLock } from '../../../src/store/postgres/locks.ts';
import { migrate, readMigrations } from '../../../src/store/postgres/migrations.ts';
import type { CallRequest, Reply } from '../../../src/store/reply.ts';
import { sqlFile } from '../../../src/store/schema/files.ts';
import { assertEach } from '../../support/assert-each.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { someSettings } from '../../support/store.ts';
import { until, untilIs } from '../../support/until.ts';

test('An empty schema is migrated once, even if many nodes start at the same time', async () => {
  const url = await temporarySchema();
  const known = readMigrations().length;
  const stores = await Promise.all([1, 2, 3].map(() => openPostgres({ url, settings: someSettings() })));
  assertEach(stores, ({ schema }) => schema.version, [known, known, known]);
  await Promise.all(stores.map(({ close }) => close()));
});

test('A migration that fails leaves the schema as it was before it', async () => {
  const connections = connectionsTo({ url: await temporarySchema() });
  const broken = {
    version: readMigrations().length + 1,
    ...sqlFile('9999_broken.sql', 'CREATE TABLE made (); SELECT no_such_column'),
  };
  await rejects(
    migrate(connections, [...readMigrations(), broken]),
    /could not be upgraded to schema .*9999_broken\.sql.*no_such_column/,
  );
  const { version } = await migrate(connections);
  assert.is(version, readMigrations().length);
  const made = await connections.lend(({ sql }) => sql.value<object, string>(`SELECT to_regclass('made')::text`)({}));
  assert.is(made, null);
  await connections.close();
});

test('A migration that waits for a locked table keeps no request behind it waiting, and goes on when the table is free', async () => {
  const connections = connectionsTo({ url: await temporarySchema() });
  await migrate(connections);
  const next = {
    version: readMigrations().length + 1,
    ...sqlFile('9999_next.sql', 'ALTER TABLE event ADD COLUMN more TEXT'),
  };
  let migrated: Promise<unknown> = Promise.resolve();
  await connections.transaction('write', async ({ execute, sql }) => {
    await execute('LOCK TABLE event IN ACCESS SHARE MODE');
    migrated = migrate(connections, [...readMigrations(), next]);
    const waiting = sql.value<object, number>(
      'SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))',
    );
    await untilIs('it waits', () => waiting({}), 1);
    await connections.lend((other) => other.execute('SELECT 1 FROM event'));
  });
  await migrated;
  await connections.lend(({ execute }) => execute('SELECT more FROM event'));
  await connections.close();
});

test('A migration that deadlocks with a request is tried again, and the request goes on', async () => {
  const url = await temporarySchema();
  const connections = connectionsTo({ url });
  await migrate(connections);
  // Notices the deadlock first.
  const impatient = connectionsTo({ url: `${url}%20-c%20deadlock_timeout%3D10ms` });
  const next = {
    version: readMigrations().length + 1,
    ...sqlFile('9999_next.sql', `${DEADLOCK}; CREATE TABLE later ()`),
  };
  let migrated: Promise<unknown> = Promise.resolve();
  await connections.transaction('write', async ({ execute, sql }) => {
    await execute(
      'SELECT pg_advisory_xact_lock(77, 77); SET LOCAL deadlock_timeout = 60000; SET LOCAL lock_timeout = 0',
    );
    migrated = migrate(impatient, [...readMigrations(), next]);
    const locks = sql.value<object, number>(`
      SELECT count(*) FROM pg_locks WHERE granted AND classid = 2 AND objid = current_schema()::text::regnamespace::oid`);
    await until('it has begun', async () => Number(await locks({})) > 0);
    await execute(takingLock('migrations'));
  });
  await migrated;
  await connections.lend(({ execute }) => execute('SELECT FROM later'));
  await Promise.all([connections.close(), impatient.close()]);
});

/** Waits for a request that waits for this transaction. */
const DEADLOCK = `
  DO $$ BEGIN
    WHILE NOT pg_try_advisory_xact_lock(77, 77) LOOP
      IF EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))) THEN
        PERFORM pg_advisory_xact_lock(77, 77);
      END IF;
      PERFORM pg_sleep(0.01);
    END LOOP;
  END $$`;

test('A newer schema is used if it allows that, and else refused', async () => {
  const url = await temporarySchema();
  const known = readMigrations().length;
  const connections = connectionsTo({ url });
  await migrate(connections);
  await connections.lend(({ execute }) => execute(`UPDATE pushctl_schema SET version = ${known + 1}`));
  assert.is((await migrate(connections)).version, known + 1);
  await connections.lend(({ execute }) => execute(`UPDATE pushctl_schema SET oldest = ${known + 1}`));
  await rejects(migrate(connections), /of a newer pushctl/);
  await connections.close();
});

test('Only a breaking migration raises the oldest schema that a program must know', async () => {
  const connections = connectionsTo({ url: await temporarySchema() });
  const known = readMigrations();
  const version = known.length + 1;
  const added = { version, ...sqlFile('9998_add.sql', 'CREATE TABLE later ()') };
  assert.is((await migrate(connections, [...known, added])).oldest, 1);
  const breaking = { version: version + 1, ...sqlFile('9999_drop.breaking.sql', 'DROP TABLE later') };
  assert.is((await migrate(connections, [...known, added, breaking])).oldest, version + 1);
  await rejects(migrate(connections), /needs at least schema/);
  await connections.close();
});

test('A database that another baseline made is rejected, whether or not it says so', async () => {
  const connections = connectionsTo({ url: await temporarySchema() });
  await migrate(connections);
  await connections.lend(({ execute }) => execute("UPDATE pushctl_schema SET digest = 'another'"));
  await rejects(migrate(connections), /different build of pushctl.*pushctl move.*start over/);
  await connections.lend(({ execute }) => execute('DROP TABLE function_file'));
  await rejects(migrate(connections), /different build of pushctl/);
  await connections.close();
});

test('A change whose connection ends is refused, nothing of it is left, and a read beside it is answered', async () => {
  const url = await temporarySchema();
  const store = await openPostgres({ url, settings: someSettings() });
  const groups: Promise<Reply>[] = [];
  await store.connections.transaction('write', async (other) => {
    await other.execute(takingLock('changes'));
    groups.push(store.ask(createWorkspace('acme')), store.ask({ name: 'listPlans', args: {} }));
    const waiting = other.sql.value<
      object,
      number
    >(`SELECT pid FROM pg_locks WHERE NOT granted AND locktype = 'advisory'
      AND objid = current_schema()::text::regnamespace::oid`);
    await until('the group waits for its turn', async () => (await waiting({})) !== undefined);
    await other.sql.value<object, boolean>(`SELECT pg_terminate_backend(${await waiting({})})`)({});
  });
  const replies = await Promise.all(groups);
  assertEach(replies, ({ kind }) => kind, ['unavailable', 'answer']);
  const workspaces = await store.ask({ name: 'listWorkspaces', args: {} });
  assert.equal(workspaces, { kind: 'answer', answer: [] });
  await store.close();
});

test('Changes by several nodes go one after the other: no cap is passed, and no name is given twice', async () => {
  const url = await temporarySchema();
  const settings = someSettings({ limits: { ...someSettings().limits, channels: 10 } });
  const nodes = await Promise.all([1, 2, 3].map(() => openPostgres({ url, settings })));
  const created = await Promise.all(nodes.map((node) => node.ask(createWorkspace('acme'))));
  assert.is(created.filter(isDone).length, 1);
  const channels = Array.from({ length: 8 }, (_, n) => `news-${n}`);
  const replies = await Promise.all(nodes.flatMap((node) => channels.map((slug) => node.ask(createChannel(slug)))));
  assert.is(replies.filter(isDone).length, channels.length);
  const more = await Promise.all(
    nodes.flatMap((node, n) => channels.map((slug) => node.ask(createChannel(`${slug}-${n}`)))),
  );
  assert.is(more.filter(isDone).length, 10 - channels.length);
  await Promise.all(nodes.map(({ close }) => close()));
});

test('While a change takes long the store is still known to be writable, and is read', async () => {
  const store = await openPostgres({ url: await temporarySchema(), settings: someSettings() });
  await store.connections.transaction('write', async (other) => {
    await other.execute(takingLock('changes'));
    const calls = [
      { name: 'proveWritable', args: {} },
      { name: 'listWorkspaces', args: {} },
    ] as const;
    for (const call of calls) assert.is((await store.ask(call)).kind, 'answer');
  });
  await store.close();
});

test('A node that stops amid a change holds up the others no longer than its connection may idle', async () => {
  const url = await temporarySchema();
  const store = await openPostgres({ url, settings: someSettings() });
  const stopped = connectionsTo({ url, idleMs: 100 });
  const change = stopped.transaction('write', async (connection) => {
    await connection.execute(takingLock('changes'));
    assert.is((await store.ask(createWorkspace('acme'))).kind, 'answer');
    await connection.execute('SELECT 1');
  });
  const error = await change.catch((thrown: unknown) => thrown);
  assert.instance(error, ConnectionLost);
  await Promise.all([stopped.close(), store.close()]);
});

test('A transaction in which a failure went unnoticed is not taken for committed', async () => {
  const connections = connectionsTo({ url: await temporarySchema() });
  const work = connections.transaction('write', async ({ execute }) => {
    await execute('CREATE TABLE made ()');
    await execute('SELECT no_such_column').catch(() => {});
  });
  await rejects(work, /nothing was committed/);
  await connections.close();
});

test('A call that throws is undone alone', async () => {
  const store = await openPostgres({ url: await temporarySchema(), settings: someSettings() });
  await store.connections.lend(({ execute }) => execute('DROP TABLE route_pause'));
  const calls: readonly CallRequest[] = [
    createWorkspace('acme'),
    { name: 'pauseRoute', args: { route: 'fcm' } },
    createWorkspace('other'),
  ];
  const replies = await Promise.all(calls.map((call) => store.ask(call)));
  assertEach(replies, ({ kind }) => kind, ['answer', 'bug', 'answer']);
  const audited = await store.ask({ name: 'listAudit', args: { limit: 5 } });
  assert.is(JSON.stringify(audited).match(/workspace\.create/g)?.length, 2);
  await store.close();
});

test('A connection that breaks while it is lent is reported as lost, and the next call gets another', async () => {
  const url = await temporarySchema();
  const store = await openPostgres({ url, settings: someSettings() });
  const end = store.connections.transaction('write', async ({ sql }) => {
    const pid = await sql.value<object, number>('SELECT pg_backend_pid()')({});
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    await other.end();
    await sql.value<object, number>('SELECT 1')({});
  });
  const error = await end.catch((thrown: unknown) => thrown);
  assert.instance(error, ConnectionLost);
  assert.is((await store.ask({ name: 'listPlans', args: {} })).kind, 'answer');
  await store.close();
});

test('A limit for idle sessions that a role sets ends no connection, nor the one that hears notices', async () => {
  const url = new URL(await temporarySchema());
  url.searchParams.set('options', `${url.searchParams.get('options')} -c idle_session_timeout=300`);
  const store = await openPostgres({ url: url.href, settings: someSettings(), node: 'one' });
  const value = <T>(text: string) =>
    store.connections.transaction('read', async ({ sql }) => sql.value<object, T>(text)({}));
  const listener = () => value<number>(HEARING);
  await until('it listens', async () => (await listener()) !== undefined);
  const [own, hearing] = [await value<number>('SELECT pg_backend_pid()'), await listener()];
  assert.is(await value<string>('SHOW idle_session_timeout'), '0');
  const stranger = connectionsTo({ url: await temporarySchema() });
  await stranger.lend(({ execute }) => execute('SELECT pg_sleep(1)'));
  assert.is(await value<number>(`SELECT pid FROM pg_stat_activity WHERE pid = ${own}`), own);
  assert.is(await listener(), hearing);
  await Promise.all([store.close(), stranger.close()]);
});

test.run();

/** The process that listens for this schema. */
const HEARING = `
  SELECT pid FROM pg_stat_activity WHERE application_name = 'pushctl listening'
    AND query = 'LISTEN pushctl_' || current_schema()::text::regnamespace::oid`;

function createChannel(slug: string): CallRequest {
  return { name: 'createChannel', args: { workspace: 'acme', slug } };
}

/** Carried out, and not refused. */
function isDone(reply: Reply): boolean {
  return reply.kind === 'answer' && !isRefusal(reply.answer);
}

function createWorkspace(slug: string): CallRequest {
  return { name: 'createWorkspace', args: { slug }, actor: { kind: 'operator', name: 'root', address: null } };
}

async function rejects(promise: Promise<unknown>, words: RegExp): Promise<void> {
  const outcome = await promise.then(
    () => 'an answer',
    (error: Error) => error.message,
  );
  assert.match(outcome, words);
}
