import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnswerOf, PruneAnswer } from '../../../src/store/calls.ts';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { type LOCKS, takingLock } from '../../../src/store/postgres/locks.ts';
import { unpack } from '../../../src/store/reply.ts';
import type { StoreSettings } from '../../../src/store/settings.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { NOW_MS, someSettings } from '../../support/store.ts';
import { until } from '../../support/until.ts';

const DAY_MS = 86_400_000;
/** More than one step removes. */
const MANY = 300;
const EXPIRED = 1_500;

test('deliveries go first, then the event with its key, each by its own age', async () => {
  const store = await aStore({ deliveriesRetentionMs: 2 * DAY_MS, eventsRetentionMs: 5 * DAY_MS });
  await store.execute(`${events(1, MANY, { accepted: 1 })}; ${DELIVERY_OF_EACH};
    INSERT INTO attempt (event_id, device_id, number, at, reason) SELECT id, 1, 1, 0, 'busy' FROM event;
    UPDATE event SET idempotency_key = id; INSERT INTO idempotency_key SELECT 1, id, id FROM event`);
  const left = () => store.count('delivery', 'attempt', 'event', 'idempotency_key');
  await store.prune(1);
  assert.equal(await left(), [MANY, MANY, MANY, MANY]);
  await store.prune(3);
  assert.equal(await left(), [0, 0, MANY, MANY]);
  await store.prune(6);
  assert.equal(await left(), [0, 0, 0, 0]);
  await store.close();
});

test('a push that waits to be sent is kept at any age, and settled rows behind it go', async () => {
  const store = await aStore({ eventsRetentionMs: DAY_MS });
  await store.execute(`${events(1, 1, { accepted: 0 })}; ${events(2, MANY, { accepted: 1 })}; ${DELIVERY_OF_EACH}`);
  await store.prune(9);
  assert.equal(await store.count('event', 'delivery'), [1, 1]);
  await store.close();
});

test('removable rows are found behind any number of kept events, and behind their deliveries', async () => {
  const store = await aStore({ eventsRetentionMs: DAY_MS, deliveriesRetentionMs: DAY_MS });
  await store.execute(
    `${events(1, 2_500, { accepted: 0 })}; ${events(2_501, 2_600, { accepted: 1 })}; ${DELIVERY_OF_EACH}`,
  );
  await store.prune(9);
  assert.equal(await store.count('event', 'delivery'), [2_500, 2_500]);
  await store.close();
});

test('windows without use go in steps, too', async () => {
  const store = await aStore();
  await store.execute(`
    INSERT INTO rolling_window SELECT 'w' || n, 1000, 1, 1, ARRAY[1], 1, 1, 1, 1, 1 FROM generate_series(1, 500) AS n`);
  await store.step(0);
  assert.equal(await store.count('rolling_window'), [300]);
  await store.prune(0);
  assert.equal(await store.count('rolling_window'), [0]);
  await store.close();
});

test('a step waits for others within no transaction of its own', async () => {
  const store = await aStore();
  let step: Promise<unknown> = Promise.resolve();
  await store.whileAnotherHas('changes', async (ask) => {
    step = store.step(0);
    await until('it waits', async () => (await ask(WAITING)) === 1);
    assert.is(await ask(IDLE), 0);
  });
  await step;
  await store.close();
});

test('deliveries of an event that is gone go as well', async () => {
  const store = await aStore();
  await store.execute(deliveries(7, 3));
  await store.prune(0);
  assert.equal(await store.count('delivery'), [0]);
  await store.close();
});

test('no step removes more than 200 rows, also of a single event', async () => {
  const store = await aStore();
  await store.execute(`${events(1, 1, { accepted: 1 })}; ${deliveries(1, 700)}`);
  const left: (readonly number[])[] = [];
  while (!(await store.step(100)).done) left.push(await store.count('delivery'));
  assert.equal(left, [[500], [300], [100]]);
  assert.equal(await store.count('event'), [0]);
  await store.close();
});

test('rows that another node is just removing are left to it', async () => {
  const store = await aStore();
  await store.execute(deliveries(7, 3));
  await store.whileAnotherHas('cleanup', async () => {
    assert.ok((await store.step(0)).done);
    assert.equal(await store.count('delivery'), [3]);
  });
  await store.prune(0);
  assert.equal(await store.count('delivery'), [0]);
  await store.close();
});

test('a node learns that the clock is held also while another node removes rows', async () => {
  const store = await aStore();
  const isHeld = async (days: number) => (await store.step(days, 0)).isHeld;
  assert.is(await isHeld(0), false);
  assert.is(await isHeld(3_650), true);
  await store.whileAnotherHas('cleanup', async () => {
    assert.is(await isHeld(3_650), true);
    assert.is(await isHeld(0), false);
  });
  await store.close();
});

test('audit entries, counters, sessions and pairing codes go by their own age', async () => {
  const store = await aStore({ auditRetentionMs: 10 * DAY_MS, statsRetentionMs: 20 * DAY_MS });
  const end = NOW_MS + DAY_MS;
  const nth = `generate_series(1, ${EXPIRED}) AS n`;
  await store.execute(`
    INSERT INTO person (id, email, name, created_at) VALUES (1, 'ada@example.com', 'Ada', 0);
    INSERT INTO audit (at, actor_kind, actor, action, object)
      SELECT ${NOW_MS}, 'operator', 'root', 'key.revoke', 'k' FROM ${nth};
    INSERT INTO session (token_hash, user_id, created_at, last_seen_at, expires_at)
      SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), 1, 0, 0, ${end} FROM ${nth};
    INSERT INTO pairing_code (code_hash, user_id, expires_at)
      SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), 1, ${end} FROM ${nth};
    INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, node_id, count)
      SELECT ${NOW_MS}, 1, n, '', 'events', '', 1, 1 FROM ${nth}`);
  const left = async (days: number) => {
    await store.prune(days);
    return store.count('audit', 'session', 'pairing_code', 'tally');
  };
  assert.equal(await left(0), [EXPIRED, EXPIRED, EXPIRED, EXPIRED]);
  assert.equal(await left(2), [EXPIRED, 0, 0, EXPIRED]);
  assert.equal(await left(11), [0, 0, 0, EXPIRED]);
  assert.equal(await left(21), [0, 0, 0, 0]);
  await store.close();
});

test.run();

/** Sessions of this schema: those that wait for the asking transaction, and idle ones in another. */
const WAITING = 'SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';
const IDLE = `
  SELECT count(*) FROM pg_stat_activity AS other WHERE state = 'idle in transaction' AND EXISTS (
    SELECT 1 FROM pg_locks WHERE pg_locks.pid = other.pid AND locktype = 'advisory'
      AND objid = current_schema()::text::regnamespace::oid
  )`;

async function aStore(settings: Partial<StoreSettings> = {}) {
  let days = 0;
  const wallMs = () => NOW_MS + days * DAY_MS;
  const url = await temporarySchema();
  const { ask, connections, close } = await openPostgres({
    url,
    settings: someSettings(settings),
    clock: { wallMs, steadyMs: wallMs },
  });
  /** One step, so many days later. */
  async function step(at: number, passedMs = DAY_MS): Promise<PruneAnswer> {
    days = at;
    return unpack(await ask({ name: 'pruneStep', args: { passedMs } })) as AnswerOf<'pruneStep'>;
  }
  return {
    close,
    step,
    execute: (text: string) => connections.lend(({ execute }) => execute(text)),
    async prune(at: number) {
      while (!(await step(at)).done);
    },
    whileAnotherHas: (lock: keyof typeof LOCKS, work: (ask: (text: string) => Promise<number>) => Promise<unknown>) =>
      connections.transaction('write', async ({ execute, sql }) => {
        await execute(takingLock(lock));
        await work(async (text) => (await sql.value<object, number>(text)({})) ?? 0);
      }),
    count: (...tables: string[]) =>
      connections.lend(async ({ sql }) => {
        const counts: number[] = [];
        for (const table of tables)
          counts.push((await sql.value<object, number>(`SELECT count(*) FROM ${table}`)({})) ?? 0);
        return counts;
      }),
  };
}

function events(first: number, last: number, { accepted }: { accepted: number }): string {
  return `INSERT INTO event (id, uuid, workspace_id, channel_id, title, level, urgency, had_links, targeted, received_at,
    expires_at, accepted) SELECT n, decode(lpad(to_hex(n), 32, '0'), 'hex'), 1, 1, 'x', 'info', 'normal', 0, 1, ${NOW_MS},
    0, ${accepted} FROM generate_series(${first}, ${last}) AS n`;
}

const DELIVERY_OF_EACH = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at)
  SELECT id, 1, 1, 'fcm', 'standard', 'accepted', 1, 0 FROM event`;

function deliveries(eventId: number, count: number): string {
  return `INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at)
    SELECT ${eventId}, n, 1, 'fcm', 'standard', 'accepted', 1, 0 FROM generate_series(1, ${count}) AS n`;
}
