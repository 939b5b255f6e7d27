import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServingStore } from '../../src/store/client.ts';
import { openPostgresStore } from '../../src/store/transports/postgres-client.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { Resources } from '../support/resources.ts';
import { someSettings } from '../support/store.ts';
import { until } from '../support/until.ts';
import { anEvent, aWorkspace } from '../support/workspace.ts';
import { ownCluster, socketUrl } from './own-cluster.ts';

/** The settings of docs/scale-out.md. */
const MOST = 20;
const HELD_MS = 45_000;

interface Scene {
  readonly store: ServingStore;
  readonly proxy: DatabaseProxy;
  readonly stranger: pg.Client;
  readonly workspaceId: number;
  /** Works as a server does, for so long; resolves with the most connections that there were. */
  workFor(ms: number, meanwhile?: (elapsedMs: number) => void): Promise<number>;
}

for (const [what, lock] of [
  ['all fan-outs', 'LOCK TABLE fan_out'],
  ['its own row', 'SELECT 1 FROM node FOR UPDATE'],
  ['all subscriptions', 'LOCK TABLE subscription'],
] as const) {
  test(`There are at most ${MOST}, however long a stranger holds a lock of ${what}`, () =>
    withStore(async ({ store, stranger, workspaceId, workFor }) => {
      await store.claimBatches({ route: 'fcm', lane: 'urgent', limit: 1, batchSize: 1 });
      await stranger.query(`BEGIN; ${lock}`);
      const most = await workFor(HELD_MS);
      await stranger.query('COMMIT');
      assert.ok(most <= MOST, `${most} connections`);
      await until('everything works', () =>
        store.acceptEvent(anEvent(workspaceId)).then(
          ({ kind }) => kind === 'accepted',
          () => false,
        ),
      );
    }));
}

test(`There are at most ${MOST}, however often the way to the database goes silent`, () =>
  withStore(async ({ proxy, workFor }) => {
    let round = 0;
    const most = await workFor(HELD_MS, (elapsedMs) => {
      if (elapsedMs < round * 3_000) return;
      round += 1;
      if (round % 2 === 1) proxy.freeze();
      else proxy.fix();
    });
    assert.ok(round > 10);
    assert.ok(most <= MOST, `${most} connections`);
  }));

test.run();

async function withStore(use: (scene: Scene) => Promise<void>): Promise<void> {
  await using opened = new Resources();
  const cluster = await ownCluster(opened);
  const proxy = opened.add(await startDatabaseProxy(cluster.folder));
  const store = await openPostgresStore({ url: proxy.url(), settings: someSettings(), node: 'one' });
  opened.add(store);
  const stranger = new pg.Client({ connectionString: socketUrl(cluster), application_name: 'stranger' });
  await stranger.connect();
  opened.onEnd(() => stranger.end());
  const { workspaceId } = await aWorkspace(store, { devices: { ios: 1 } });
  const count = async () => {
    const { rows } = await stranger.query(
      `SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name LIKE 'pushctl%'`,
    );
    return Number(rows[0].open);
  };
  const workFor: Scene['workFor'] = async (ms, meanwhile = () => {}) => {
    const startMs = performance.now();
    const isOver = () => performance.now() - startMs > ms;
    const working = Promise.all(callsOf(store, workspaceId).map((ask) => again(ask, isOver)));
    let most = 0;
    while (!isOver()) {
      meanwhile(performance.now() - startMs);
      most = Math.max(most, await count());
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    proxy.fix();
    await working;
    return most;
  };
  await use({ store, proxy, stranger, workspaceId, workFor });
}

/** Queries of a busy server at the same time. */
function callsOf(store: ServingStore, workspaceId: number): readonly (() => Promise<unknown>)[] {
  const lanes = (['apns_production', 'apns_sandbox', 'fcm', 'webpush_google', 'webpush_apple'] as const).flatMap(
    (route) =>
      (['urgent', 'standard', 'quarantine'] as const).map(
        (lane) => () => store.claimBatches({ route, lane, limit: 10, batchSize: 10 }),
      ),
  );
  return [
    ...lanes,
    () => store.acceptEvent(anEvent(workspaceId)),
    () => store.acceptEvent(anEvent(workspaceId)),
    () => store.listWorkspaces({}),
    () => store.queueDepth({}),
    () => store.listRoutes({}),
    () => store.proveWritable({}),
    () => store.createWorkspace({ slug: 'acme' }),
    () => store.expireOverdue({}),
  ];
}

async function again(ask: () => Promise<unknown>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await ask().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
