import { statSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoreSettings } from '../../../../src/store/settings.ts';
import { openReadOnly } from '../../../../src/store/sqlite/database.ts';
import { ADA, EVE } from '../../../support/cast.ts';
import { granted } from '../../../support/refusals.ts';
import { aWorld, HOUR_MS, NOW_MS, type SqliteWorld } from '../../../support/world.ts';

const DAY_MS = 24 * HOUR_MS;
const test = suite('retention');

/** With one device, and without a wait for the disk at every commit. */
async function aQuickWorld(settings: Partial<StoreSettings> = {}): Promise<SqliteWorld> {
  const world = await aWorld(settings);
  await world.addDevice();
  world.db.pragma('synchronous = OFF');
  return world;
}

/** An event that its one device got. */
async function deliver(world: SqliteWorld, wallMs: number, description = 'x'): Promise<string> {
  const { event } = await world.accept({ wallMs, steadyMs: wallMs, description });
  const time = { steadyMs: wallMs, wallMs };
  const lane = { route: 'apns_production', lane: 'standard', limit: 9, batchSize: 9 } as const;
  for (const { claimId, targets } of (await world.calls.claimBatches({ ...lane, ...time })).claims) {
    const verdicts = targets.map((_, index) => {
      return { index, verdict: { state: 'accepted' } as const, fitted: false, linksLost: false };
    });
    await world.calls.settleBatch({ claimId, verdicts, ...time });
  }
  return event.public_id;
}

/** Answers how many steps it took. */
async function prune({ calls }: SqliteWorld, wallMs: number): Promise<number> {
  for (let steps = 1; ; steps += 1) if ((await calls.pruneStep({ wallMs })).done) return steps;
}

test('deliveries go first, the event and its counts stay until their own time', async () => {
  const world = await aWorld({ deliveriesRetentionMs: 2 * DAY_MS, eventsRetentionMs: 5 * DAY_MS });
  await world.addDevice();
  const publicId = await deliver(world, NOW_MS);
  await prune(world, NOW_MS + DAY_MS);
  assert.is(await world.countRows('delivery'), 1);
  await prune(world, NOW_MS + 3 * DAY_MS);
  assert.is(await world.countRows('delivery'), 0);
  assert.is(granted(await world.calls.showEvent({ publicId, limit: 1 })).event.deliveries.accepted, 1);
  await prune(world, NOW_MS + 6 * DAY_MS);
  assert.is(await world.countRows('event'), 0);
});

test('an idempotency key is known for as long as its event is kept', async () => {
  const world = await aWorld({ eventsRetentionMs: DAY_MS });
  const again = { workspaceId: world.workspaceId, idempotencyKey: 'once' };
  await world.accept(again);
  await prune(world, NOW_MS + DAY_MS - 1);
  assert.is((await world.calls.acceptEvent(world.anEvent(again))).kind, 'replayed');
  await prune(world, NOW_MS + DAY_MS + 1);
  assert.is((await world.calls.acceptEvent(world.anEvent(again))).kind, 'accepted');
});

test('what still waits to be sent is kept, whatever its age, and what lies behind it goes', async () => {
  const world = await aWorld({ eventsRetentionMs: DAY_MS });
  await world.addDevice();
  const waiting = (await world.accept()).event.public_id;
  world.db.exec("UPDATE fan_out SET lane = 'urgent'");
  for (let n = 0; n < 3; n += 1) await deliver(world, NOW_MS);
  await prune(world, NOW_MS + 9 * DAY_MS);
  assert.is(await world.countRows('event'), 1);
  assert.is(granted(await world.calls.showEvent({ publicId: waiting, limit: 1 })).event.deliveries.pending, 1);
});

test('no step removes more than 200 rows, also of a single event', async () => {
  const world = await aWorld();
  const { eventId } = await world.accept();
  world.db.exec(`
    INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
    SELECT ${eventId}, i, 1, 'fcm', 'standard', 'accepted', 1, 0 FROM n
  `);
  const left: number[] = [];
  const wallMs = NOW_MS + 100 * DAY_MS;
  while (!(await world.calls.pruneStep({ wallMs })).done) left.push(await world.countRows('delivery'));
  assert.equal(left, [500, 300, 100]);
  assert.is(await world.countRows('event'), 0);
});

test('audit entries, counters, sessions and pairing codes go by their own age', async () => {
  const world = await aWorld({ auditRetentionMs: 10 * DAY_MS, statsRetentionMs: 20 * DAY_MS });
  world.db.exec(`
    INSERT INTO audit (at, actor_kind, actor, action, object) VALUES (${NOW_MS}, 'operator', 'root', 'key.revoke', 'k');
    INSERT INTO session VALUES (zeroblob(32), 1, NULL, 0, 0, ${NOW_MS + DAY_MS});
    INSERT INTO pairing_code VALUES (zeroblob(32), 1, ${NOW_MS + DAY_MS});
  `);
  await world.accept();
  const left = async (days: number) => {
    await prune(world, NOW_MS + days * DAY_MS);
    return await Promise.all(['audit', 'session', 'pairing_code', 'tally'].map((table) => world.countRows(table)));
  };
  assert.equal(await left(0), [1, 1, 1, 1]);
  assert.equal(await left(2), [1, 0, 0, 1]);
  assert.equal(await left(11), [0, 0, 0, 1]);
  assert.equal(await left(21), [0, 0, 0, 0]);
});

test('beyond the largest size the oldest events go, but none that is younger than 24 hours', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_000_000 });
  for (let n = 0; n < 1_500; n += 1) await deliver(world, NOW_MS + n, 'y'.repeat(1_000));
  assert.equal(await world.calls.pruneStep({ wallMs: NOW_MS + 2_000 }), {
    done: true,
    isPressing: false,
    isTooLarge: true,
  });
  assert.is(await world.countRows('event'), 1_500);
  await prune(world, NOW_MS + DAY_MS + 2_000);
  const kept = await world.countRows('event');
  assert.ok(kept > 0 && kept < 900, String(kept));
  assert.ok(Number(world.db.prepare('SELECT min(received_at) FROM event').pluck().get()) > NOW_MS + 600);
});

/** A second workspace with a channel and a device. Answers how its events are accepted. */
async function aNeighbour(
  world: SqliteWorld,
  slug: string,
): Promise<(wallMs: number, description?: string) => Promise<string>> {
  const { workspaceId } = await world.addWorkspace(slug);
  granted(await world.calls.createChannel({ workspace: slug, slug: 'news' }));
  return async (wallMs, description = 'x') => {
    const { event } = await world.accept({ workspaceId, channel: 'news', wallMs, steadyMs: wallMs, description });
    return event.public_id;
  };
}

/** How many events each workspace has. */
function eventsOf({ db }: SqliteWorld): Record<string, number> {
  const rows = db
    .prepare<[], [string, number]>(
      'SELECT slug, count(*) FROM event JOIN workspace ON workspace.id = workspace_id GROUP BY slug',
    )
    .raw()
    .all();
  return Object.fromEntries(rows);
}

test('the growth of a workspace displaces its own events, never the older ones of another', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 2_000_000 });
  const post = await aNeighbour(world, 'small');
  for (let n = 0; n < 100; n += 1) await post(NOW_MS + n, 'y'.repeat(1_000));
  for (let n = 0; n < 3_000; n += 1) await deliver(world, NOW_MS + 1_000 + n, 'y'.repeat(1_000));
  await prune(world, NOW_MS + DAY_MS + 10_000);
  const { acme = 0, small } = eventsOf(world);
  assert.is(small, 100);
  assert.ok(acme > 0 && acme < 2_000, String(acme));
});

test('what may not go of who grows does not go of anybody else instead', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_000_000 });
  const post = await aNeighbour(world, 'small');
  for (let n = 0; n < 100; n += 1) await post(NOW_MS + n);
  for (let n = 0; n < 1_500; n += 1) await deliver(world, NOW_MS + DAY_MS, 'y'.repeat(1_000));
  const wallMs = NOW_MS + DAY_MS + HOUR_MS;
  await prune(world, wallMs);
  assert.equal(await world.calls.pruneStep({ wallMs }), { done: true, isPressing: false, isTooLarge: true });
  assert.equal(eventsOf(world), { acme: 1_500, small: 100 });
});

/** So many changes by somebody, in a workspace or in none. */
function change({ db }: SqliteWorld, actor: string, workspace: string | null, count: number): void {
  db.prepare(`
    INSERT INTO audit (at, actor_kind, actor, action, workspace, object)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    SELECT ${NOW_MS}, 'user', ?, 'device.remove', ?, printf('%0200d', i) FROM n
  `).run(count, actor, workspace);
}

/** How many entries the audit log has of whom. */
function entriesOf({ db }: SqliteWorld): Record<string, number> {
  const rows = db.prepare<[], [string, number]>('SELECT holder, count(*) FROM audit GROUP BY holder').raw().all();
  return Object.fromEntries(rows);
}

test('an audit log that grows displaces no event, and of the log only the oldest entries of whoever has most', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_500_000 });
  const post = await aNeighbour(world, 'small');
  for (let n = 0; n < 200; n += 1) await post(NOW_MS + n);
  for (let n = 0; n < 100; n += 1) await deliver(world, NOW_MS + 1_000 + n);
  change(world, ADA, 'small', 50);
  change(world, ADA, null, 20);
  change(world, EVE, 'acme', 6_000);
  change(world, EVE, null, 3_000);
  await prune(world, NOW_MS + DAY_MS - 1);
  assert.is(await world.countRows('audit'), 9_070);
  await prune(world, NOW_MS + DAY_MS + 10_000);
  assert.equal(eventsOf(world), { acme: 100, small: 200 });
  const { small, acme = 0, ':ada@example.com': ada, ':eve@example.com': eve = 0 } = entriesOf(world);
  assert.equal([small, ada], [50, 20]);
  assert.ok(acme < 2_500 && eve < 2_500 && Math.abs(acme - eve) < 300, `${acme} and ${eve}`);
});

test('of what the audit log has lost one entry tells, in the place of all that went', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_500_000 });
  change(world, EVE, 'acme', 9_000);
  await prune(world, NOW_MS + DAY_MS + 10_000);
  const left = entriesOf(world).acme ?? 0;
  assert.ok(left < 5_000, String(left));
  const { entries } = granted(await world.calls.listAudit({ workspace: 'acme', limit: 9_000 }));
  const trims = entries.filter(({ action }) => action === 'audit.trim');
  assert.equal(trims, [entries.at(-1)]);
  assert.equal([trims[0]?.object, trims[0]?.actor.name], ['acme', 'pushctl']);
});

test('workspaces that keep too much alike give in turns', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 2_000_000 });
  const post = await aNeighbour(world, 'umbrella');
  for (let n = 0; n < 1_500; n += 1) {
    await deliver(world, NOW_MS + n, 'y'.repeat(1_000));
    await post(NOW_MS + n, 'y'.repeat(1_000));
  }
  await prune(world, NOW_MS + DAY_MS + 10_000);
  const { acme = 0, umbrella = 0 } = eventsOf(world);
  assert.ok(acme < 1_200 && umbrella < 1_200 && Math.abs(acme - umbrella) < 300, `${acme} and ${umbrella}`);
});

test('under a steady load the file does not grow, and after a burst it shrinks again', async () => {
  const world = await aQuickWorld({ eventsRetentionMs: 10 * DAY_MS, statsRetentionMs: 10 * DAY_MS });
  const size = () => {
    world.db.pragma('wal_checkpoint(TRUNCATE)');
    return statSync(world.db.name).size;
  };
  const days = async (from: number, to: number, events: number) => {
    for (let day = from; day < to; day += 1) {
      for (let n = 0; n < events; n += 1) await deliver(world, NOW_MS + day * DAY_MS, 'z'.repeat(20_000));
      await prune(world, NOW_MS + day * DAY_MS);
    }
    return size();
  };
  await days(0, 12, 20);
  const steady = await days(12, 15, 20);
  assert.ok((await days(15, 40, 20)) <= steady * 1.05);
  const burst = await days(40, 41, 1_500);
  assert.ok((await days(41, 60, 20)) < burst / 2);
});

test('after a long reader has ended the write-ahead log is reused, and cut to its bound', async () => {
  const world = await aQuickWorld();
  const wal = () => statSync(`${world.db.name}-wal`).size;
  const reader = openReadOnly(world.db.name);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM event').get();
  world.db.pragma('journal_size_limit = 5000000');
  while (wal() < 10_000_000) await deliver(world, NOW_MS, 'w'.repeat(1_000));
  reader.exec('COMMIT');
  for (let n = 0; n < 2_000; n += 1) await deliver(world, NOW_MS, 'w'.repeat(1_000));
  assert.ok(wal() <= 5_100_000, String(wal()));
  reader.close();
});

test.run();
