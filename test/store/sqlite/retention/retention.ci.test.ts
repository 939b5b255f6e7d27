import { statSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openReadOnly } from '../../../../src/store/sqlite/database.ts';
import { granted } from '../../../support/refusals.ts';
import { aQuickWorld, deliver, prune } from '../../../support/retention.ts';
import { aWorld, HOUR_MS, NOW_MS } from '../../../support/world.ts';

const DAY_MS = 24 * HOUR_MS;
/** More than one step removes. */
const MANY = 300;
const EXPIRED = 1_500;

test('deliveries go first, the event and its counts stay until their own time', async () => {
  const world = await aWorld({ deliveriesRetentionMs: 2 * DAY_MS, eventsRetentionMs: 5 * DAY_MS });
  await world.addDevice();
  const publicId = await deliver(world, NOW_MS);
  world.db.pragma('synchronous = OFF');
  for (let nth = 1; nth < MANY; nth += 1) await deliver(world, NOW_MS);
  await prune(world, NOW_MS + DAY_MS);
  assert.is(await world.countRows('delivery'), MANY);
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

test('a push that waits to be sent is kept at any age, and settled rows behind it go', async () => {
  const world = await aWorld({ eventsRetentionMs: DAY_MS });
  await world.addDevice();
  const waiting = (await world.accept()).event.public_id;
  world.db.exec("UPDATE fan_out SET lane = 'urgent'");
  world.db.pragma('synchronous = OFF');
  for (let n = 0; n < MANY; n += 1) await deliver(world, NOW_MS);
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
  const nth = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${EXPIRED})`;
  world.db.exec(`
    INSERT INTO audit (at, actor_kind, actor, action, object)
      ${nth} SELECT ${NOW_MS}, 'operator', 'root', 'key.revoke', 'k' FROM n;
    INSERT INTO session (token_hash, user_id, created_at, last_seen_at, expires_at)
      ${nth} SELECT randomblob(32), 1, 0, 0, ${NOW_MS + DAY_MS} FROM n;
    INSERT INTO pairing_code (code_hash, user_id, expires_at) ${nth} SELECT randomblob(32), 1, ${NOW_MS + DAY_MS} FROM n;
    INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, count)
      ${nth} SELECT ${NOW_MS}, 1, i, '', 'events', '', 1 FROM n;
  `);
  const left = async (days: number) => {
    await prune(world, NOW_MS + days * DAY_MS);
    return await Promise.all(['audit', 'session', 'pairing_code', 'tally'].map((table) => world.countRows(table)));
  };
  assert.equal(await left(0), [EXPIRED, EXPIRED, EXPIRED, EXPIRED]);
  assert.equal(await left(2), [EXPIRED, 0, 0, EXPIRED]);
  assert.equal(await left(11), [0, 0, 0, EXPIRED]);
  assert.equal(await left(21), [0, 0, 0, 0]);
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
