import { join } from 'node:path';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpenClaims } from '../../../src/delivery/open-claims.ts';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { ADA } from '../../support/cast.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { claim, settle } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import { callsOf, type SqliteStore } from '../../support/store.ts';
import { aDevice, aWorkspace } from '../../support/workspace.ts';
import { NOW_MS } from '../../support/world.ts';

/** Before all events. */
const FIRST = `evt_${'0'.repeat(26)}`;

/**
 * SQLite recompiles a statement at each run if a bound value might change its plan. With our library's options that is
 * a parameter beside `LIMIT`, or one compared with several terms. It costs ten times the statement itself. A `+` before
 * the parameter hides the value from the planner; in portable SQL a CAST does.
 */
test('a bare parameter beside LIMIT is seen at each run, and one behind a + is not', async () => {
  const { store, compiledDuring } = aWatchedStore();
  await aWorkspace(store.calls, { channels: ['one', 'two', 'three'] });
  const bare = store.db.prepare<[number]>('SELECT id, slug FROM channel LIMIT ?');
  const hidden = store.db.prepare<[number]>('SELECT id, slug FROM channel LIMIT +?');
  const round = async (): Promise<void> => {
    for (const limit of [1, 2]) assert.equal([bare.all(limit).length, hidden.all(limit).length], [limit, limit]);
  };
  await round();
  const compiled = await compiledDuring(round);
  assert.is(compiled.length, 2);
  assert.ok(
    compiled.every((sql) => /LIMIT \d/.test(sql)),
    compiled.join('; '),
  );
});

test('no statement of the way from an event to its pushes is compiled at each run', async () => {
  const { store, compiledDuring } = aWatchedStore();
  const acme = await aWorkspace(store.calls, { devices: { ios: 3 } });
  const round = async (): Promise<void> => {
    await acme.accept({ idempotencyKey: crypto.randomUUID() });
    await acme.accept();
    const first = await claim(store);
    for (const batch of first) {
      await settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
    }
    const again = await claim(store);
    for (const batch of again) await settle(store, batch);
    assert.equal([first.length, again.length], [1, 1]);
  };
  await round();
  await round();
  assert.equal(await compiledDuring(round), []);
});

test('nor is a statement of what the app asks with each request', async () => {
  const { store, compiledDuring } = aWatchedStore();
  const { calls } = store;
  await aWorkspace(calls, { devices: { ios: 1 } });
  const tokenHash = 'ef'.repeat(32);
  granted(await calls.createPairingCode({ email: ADA, codeHash: 'cd'.repeat(32), lifeMs: 1 }));
  assert.ok(await calls.redeemPairingCode({ codeHash: 'cd'.repeat(32), tokenHash, userAgent: 'app' }));
  const round = async (): Promise<void> => {
    assert.ok(await calls.findSession({ tokenHash }));
    const { id: deviceId } = granted(await calls.registerDevice({ userId: 1, ...aDevice() })).device;
    granted(await calls.subscribe({ userId: 1, deviceId, workspace: 'acme', channel: 'alerts' }));
    granted(await calls.listOwnDevices({ userId: 1, limit: 5 }));
    granted(await calls.listChannelsFor({ userId: 1, workspace: 'acme' }));
  };
  await round();
  await round();
  assert.equal(await compiledDuring(round), []);
});

test('nor is a statement of the lists over several channels, although they execute some for each channel', async () => {
  const { store, compiledDuring } = aWatchedStore();
  const acme = await aWorkspace(store.calls, { devices: { ios: 1 } });
  for (let count = 0; count < 3; count += 1) await acme.accept();
  const reach = { workspaceId: 1, boundKeyId: null, limit: 2 };
  const round = async (): Promise<void> => {
    await store.calls.listReachedEvents(reach);
    await store.calls.listReachedEvents({ ...reach, level: 'info' });
    await store.calls.listReachedEvents({ ...reach, after: FIRST, sinceMs: 1, untilMs: NOW_MS });
    assert.is(granted(await store.calls.listInbox({ userId: 1, limit: 2 })).events.length, 2);
  };
  await round();
  await round();
  assert.equal(await compiledDuring(round), []);
});

test.run();

/** A statement that reads rows makes a function for their columns, and another one when it is recompiled. */
function aWatchedStore() {
  let last = '';
  const compiled = new Set<string>();
  const db = new Database(join(temporaryFolder(), 'pushctl.db'), {
    verbose: (sql) => {
      last = String(sql).trim();
    },
  });
  migrate(db);
  const openClaims = new OpenClaims({ steadyMs: () => NOW_MS });
  const store = { db, calls: callsOf(db), openClaims } as SqliteStore;
  const compiledDuring = async (act: () => Promise<void>): Promise<readonly string[]> => {
    const { Function: made } = globalThis;
    globalThis.Function = new Proxy(made, {
      apply(target, self, args) {
        compiled.add(last);
        return Reflect.apply(target, self, args);
      },
    });
    try {
      await act();
    } finally {
      globalThis.Function = made;
    }
    return [...compiled];
  };
  return { store, compiledDuring };
}
