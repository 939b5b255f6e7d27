import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isRefusal, StoreUnavailable } from '../../../src/store/calls.ts';
import type { ServingStore } from '../../../src/store/client.ts';
import type { DatabaseChange } from '../../../src/store/transports/database-watch.ts';
import { openPostgresStore, type PostgresServingOptions } from '../../../src/store/transports/postgres-client.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import { HOUR_MS } from '../../support/engines.ts';
import { clusterFolder, temporarySchema } from '../../support/postgres.ts';
import { Resources } from '../../support/resources.ts';
import { someSettings } from '../../support/store.ts';
import { until } from '../../support/until.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';

test('A listener gets a call before it is answered, with the answer, and of the topics that it touched', () =>
  withStore(async (store) => {
    await aWorkspace(store);
    const order: string[] = [];
    store.onTouched('keys', () => order.push('touched'));
    const stop = store.onDone(({ name }, answer) => order.push(`${name} ${isRefusal(answer)}`));
    await store.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }).then(() => order.push('answered'));
    // A node that has just begun to listen takes all topics for touched.
    assert.equal(new Set(order), new Set(['touched', 'setWorkspaceStatus false', 'answered']));
    assert.is(order.at(-1), 'answered');
    stop();
    await store.setWorkspaceStatus({ slug: 'acme', status: 'active' });
    assert.is(order.filter((word) => word.startsWith('setWorkspaceStatus')).length, 1);
  }));

test('More calls than may wait are refused at once, and that is no sign of death', () =>
  withStore(
    async (store) => {
      const asked = [store.ping({}), store.ping({}), reasonOf(store.ping({}))] as const;
      assert.is(await asked[2], 'overloaded');
      await Promise.all(asked);
      assert.ok(await store.isAlive());
      await store.ping({});
    },
    { maxWaiting: 2 },
  ));

test('Some long questions about one workspace may wait, and those about others still find a place', () =>
  withStore(async (store) => {
    await aWorkspace(store);
    const asked = Array.from({ length: 14 }, () => reasonOf(store.stats({ workspace: 'acme', sinceMs: 0 })));
    const other = reasonOf(store.stats({ sinceMs: 0 }));
    const reasons = await Promise.all(asked);
    assert.is(reasons.filter((reason) => reason === 'overloaded').length, 2);
    // Two are being answered while ten wait.
    assert.is(reasons.filter((reason) => reason === null).length, 12);
    assert.is(await other, null);
  }));

test('Closing finishes earlier calls, and refuses later ones', () =>
  withStore(async (store, url) => {
    const { workspaceId } = await aWorkspace(store);
    const asked = Array.from({ length: 200 }, () => store.acceptEvent(anEvent(workspaceId)));
    const closed = store.close();
    assert.is(await reasonOf(store.ping({})), 'closed');
    assert.not(await store.isAlive());
    assert.ok((await Promise.all(asked)).every(({ kind }) => kind === 'accepted'));
    await closed;
    await using opened = new Resources();
    const again = opened.add(await openPostgresStore({ url, settings: someSettings(), node: 'two' }));
    assert.is((await again.readUsage({ workspaceId })).used, 200);
  }));

test('A server that an upgrade dismisses is not ready', () =>
  withStore(async (store, url) => {
    assert.is(await store.fault(), null);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('UPDATE pushctl_schema SET oldest = version + 1');
    await client.end();
    await until('it knows', async () => (await store.fault()) !== null);
    assert.match((await store.fault())?.reason ?? '', 'a newer pushctl upgrades the database to schema');
  }));

test('An outage is reported once and with one reason, until the database has carried out a change again', async () => {
  const reports: DatabaseChange[] = [];
  await withStore(
    async (store, _, proxy) => {
      const { workspaceId } = await aWorkspace(store);
      proxy.cut();
      const lost = [
        reasonOf(store.acceptEvent(anEvent(workspaceId))),
        reasonOf(store.ping({})),
        reasonOf(store.createWorkspace({ slug: 'other' })),
      ];
      const [reason] = await Promise.all(lost);
      assert.match(String(reason), 'the connection to the database is lost');
      assert.equal(new Set(await Promise.all(lost)), new Set([reason]));
      assert.is(await reasonOf(store.ping({})), reason);
      assert.equal(await store.fault(), { reason, isDamage: false, isLasting: false });
      proxy.fix();
      await store.ping({});
      assert.equal(reports, [{ kind: 'lost', reason }]);
      await store.proveWritable({});
      assert.equal(reports.slice(1), [{ kind: 'back' }]);
      assert.is(await store.fault(), null);
    },
    { onDatabase: (report) => reports.push(report) },
  );
});

test('A page that PostgreSQL cannot understand is reported once as damage, keeps the server from being ready, and may be repaired', async () => {
  const reports: unknown[] = [];
  await withStore(
    async (store, url) => {
      const claim = () => reasonOf(store.claimBatches({ route: 'fcm', lane: 'standard', limit: 5, batchSize: 5 }));
      const { addDevice, accept } = await aWorkspace(store, { workspace: 'acme' });
      await addDevice({ platform: 'android', token: 'f'.repeat(40), subscribe: ['alerts'] });
      await accept();
      await sqlAt(
        url,
        `CREATE FUNCTION torn() RETURNS trigger LANGUAGE plpgsql AS
           'BEGIN RAISE EXCEPTION ''invalid page in block 7'' USING ERRCODE = ''XX001''; END';
         CREATE TRIGGER torn BEFORE UPDATE ON fan_out FOR EACH STATEMENT EXECUTE FUNCTION torn()`,
      );
      for (let n = 0; n < 3; n += 1) assert.match((await claim()) ?? '', 'invalid page in block 7 (XX001)');
      const reason = 'invalid page in block 7 (XX001)';
      assert.equal(reports, [{ kind: 'damaged', call: 'claimBatches', reason, isLasting: false }]);
      await store.proveWritable({});
      assert.equal(await store.fault(), { reason, isDamage: true, isLasting: false });
      await sqlAt(url, 'DROP TRIGGER torn ON fan_out');
      assert.is(await claim(), null);
      assert.equal(reports.slice(1), [{ kind: 'readable' }]);
      assert.is(await store.fault(), null);
    },
    { onDatabase: (report) => reports.push(report), onDamage: (report) => reports.push(report) },
  );
});

test('A write that fails on the disk of PostgreSQL is reported until a write succeeds: other work is no proof', async () => {
  const reports: unknown[] = [];
  await withStore(
    async (store, url) => {
      const claim = () => reasonOf(store.claimBatches({ route: 'fcm', lane: 'standard', limit: 5, batchSize: 5 }));
      const { addDevice, accept } = await aWorkspace(store, { workspace: 'acme' });
      await addDevice({ platform: 'android', token: 'f'.repeat(40), subscribe: ['alerts'] });
      await accept();
      await sqlAt(
        url,
        `CREATE FUNCTION full_of_errors() RETURNS trigger LANGUAGE plpgsql AS
           'BEGIN RAISE EXCEPTION ''could not extend file'' USING ERRCODE = ''58030''; END';
         CREATE TRIGGER unwritten BEFORE UPDATE ON fan_out FOR EACH STATEMENT EXECUTE FUNCTION full_of_errors()`,
      );
      for (let n = 0; n < 3; n += 1) assert.match((await claim()) ?? '', 'could not extend file (58030)');
      await sqlAt(url, 'DROP TRIGGER unwritten ON fan_out');
      assert.is(await claim(), null);
      const reason = 'could not extend file (58030)';
      assert.equal(await store.fault(), { reason, isDamage: true, isLasting: false });
      await store.proveWritable({});
      assert.is(await store.fault(), null);
      assert.equal(reports, [
        { kind: 'damaged', call: 'claimBatches', reason, isLasting: false },
        { kind: 'readable' },
      ]);
    },
    { onDatabase: (report) => reports.push(report), onDamage: (report) => reports.push(report) },
  );
});

test.run();

/** A store that serves, and the proxy before its database. */
async function withStore(
  use: (store: ServingStore, url: string, proxy: DatabaseProxy) => Promise<void>,
  options: Partial<PostgresServingOptions> = {},
): Promise<void> {
  await using opened = new Resources();
  const proxy = opened.add(await startDatabaseProxy(await clusterFolder()));
  const url = proxy.url(new URL(await temporarySchema()).searchParams.get('options') ?? '');
  const own = { url, settings: someSettings(), node: 'one', leaseMs: HOUR_MS };
  await use(opened.add(await openPostgresStore({ ...own, ...options })), url, proxy);
}

/** Connects like another program, beside the store. */
async function sqlAt(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

/** Why the store could not answer; null: it did. */
async function reasonOf(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    (error: unknown) => {
      if (error instanceof StoreUnavailable) return error.reason;
      throw error;
    },
  );
}
