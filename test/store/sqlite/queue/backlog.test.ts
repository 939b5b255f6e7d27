import { join } from 'node:path';
import Database from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../../../src/store/sqlite/migrations.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { callsOf } from '../../../support/store.ts';
import { aWorld, NOW_MS } from '../../../support/world.ts';

const backlog = suite('backlog');

backlog('a start and the first claims read the queue by its indexes only, and a page at most', async () => {
  const statements: string[] = [];
  const db = new Database(join(temporaryFolder(), 'pushctl.db'), { verbose: (sql) => statements.push(String(sql)) });
  migrate(db);
  found(db);
  statements.length = 0;
  await callsOf(db).expireOverdue({});
  fill(db, 500);
  const calls = callsOf(db);
  await calls.expireOverdue({});
  const lane = { route: 'apns_production', lane: 'standard', limit: 4, batchSize: 100 } as const;
  assert.is((await calls.claimBatches(lane)).claims[0]?.targets.length, 4);

  const steps = statements.filter(isPlain).flatMap((sql) => planOf(db, sql).map((step) => ({ step, sql })));
  assert.ok(steps.length > 10, 'the statements were seen');
  assert.equal(
    steps.filter(({ step }) => /^SCAN ((d|s|delivery|fan_out|subscription|device)\b|event$)/.test(step)),
    [],
  );
});

backlog('claiming from a long queue of deferred pushes holds no more than the pages that are out', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  store.db.pragma('synchronous = OFF');
  fill(store.db, 200_000);
  const before = process.memoryUsage().heapUsed;
  const lane = { route: 'apns_production', lane: 'standard', limit: 8, batchSize: 100 } as const;
  const { claims } = await (await store.restart()).calls.claimBatches(lane);
  const grownBytes = process.memoryUsage().heapUsed - before;
  assert.is(claims.flatMap(({ targets }) => targets).length, 8);
  assert.ok(grownBytes < 8 * 1024 * 1024, `${grownBytes} bytes more`);
});

backlog.run();

/** So many events that each wait for a retry to one device, which is the same. */
function fill(db: Database.Database, events: number): void {
  const n = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :events)';
  const time = { events, atMs: NOW_MS };
  db.prepare(`
    ${n} INSERT INTO event (uuid, workspace_id, channel_id, title, level, urgency, had_links, targeted, received_at, expires_at)
    SELECT unhex(printf('%032x', i)), 1, 1, 'Disk full', 'error', 'standard', 0, 1, :atMs, :atMs + 86400000 FROM n`).run(
    time,
  );
  db.prepare(`
    ${n} INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at, due_at)
    SELECT i, 1, 1, 'apns_production', 'standard', 'pending', 1, 'timeout', :atMs, :atMs FROM n`).run(time);
}

function found(db: Database.Database): void {
  db.exec(`
    INSERT INTO workspace (slug, name, created_at) VALUES ('acme', 'acme', 0);
    INSERT INTO channel (workspace_id, slug, name, created_at) VALUES (1, 'alerts', 'alerts', 0);
    INSERT INTO person (email, name, created_at) VALUES ('ada@example.com', 'Ada', 0);
    INSERT INTO device (public_id, user_id, platform, route, environment, token, name, registered_at)
      VALUES ('dev_1', 1, 'ios', 'apns_production', 'production', 'ab', 'phone', 0);
    INSERT INTO subscription (channel_id, device_id, user_id, route, active) VALUES (1, 1, 1, 'apns_production', 1)`);
}

function isPlain(sql: string): boolean {
  return /^\s*(SELECT|WITH|UPDATE|DELETE)\b/i.test(sql) && !/RECURSIVE/.test(sql);
}

function planOf(db: Database.Database, sql: string): string[] {
  return db
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);
}
