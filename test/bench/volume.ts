import { join } from 'node:path';
import Database from 'better-sqlite3';

const DAY_MS = 86_400_000;

const INDEXES = `
  SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('event', 'delivery') AND sql IS NOT NULL`;

/**
 * Ids grow with time, as UUIDs of version 7 do; every other event has an idempotency key, and those are as random as
 * clients'.
 */
const FILL_EVENTS = `
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :events)
  INSERT INTO event (uuid, workspace_id, channel_id, title, description, level, urgency, event_type, idempotency_key,
    had_links, targeted, received_at, expires_at, accepted)
  SELECT unhex(printf('%012x7%03x8%015x', :nowMs - :spanMs + i * :spanMs / :events, i % 4096, i)), :workspaceId, :channelId,
    'Disk nearly full on db-' || (i % 100), 'The volume /var/lib/postgresql is 91 % full and grows by 2 % an hour.',
    'warning', 'standard', 'disk.full', CASE WHEN i % 2 = 0 THEN lower(hex(randomblob(12))) END, 0, 1,
    :nowMs - :spanMs + i * :spanMs / :events, :nowMs - :spanMs + i * :spanMs / :events + 86400000, 1
  FROM n`;

/** Recently accepted pushes: each event has one row for each of some devices. */
const FILL_ACCEPTED = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at)
  SELECT e.id, s.device_id, :workspaceId, 'apns_production', 'standard', 'accepted', 1, e.received_at
  FROM (SELECT id, received_at FROM event WHERE received_at >= :fromMs) e
  CROSS JOIN (SELECT device_id FROM subscription WHERE channel_id = :teamId LIMIT :devicesAnEvent) s`;

/** A database as it is after some time: so many events, spread over these days, and deliveries of the last ones. */
export interface Contents {
  readonly events: number;
  readonly days: number;
  readonly deliveryDays: number;
  readonly devicesAnEvent: number;
}

/**
 * Fills a data folder that no server uses. Returns how many ms that took. Indexes are built at the end, which is many
 * times faster.
 */
export function fillWith(dataDir: string, { events, days, deliveryDays, devicesAnEvent }: Contents): number {
  const startMs = performance.now();
  const nowMs = Date.now();
  const db = new Database(join(dataDir, 'pushctl.db'));
  db.pragma('synchronous = OFF');
  db.pragma('temp_store = MEMORY');
  db.pragma('cache_size = -400000');
  const idOf = (what: string) => db.prepare<[], number>(`SELECT id FROM ${what}`).pluck().get() ?? 0;
  const workspaceId = idOf('workspace');
  const indexes = db.prepare<[], { name: string; sql: string }>(INDEXES).all();
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  // Numbers would be bound as floats, and SQL would divide them as such.
  const times = { events: BigInt(events), spanMs: BigInt(days * DAY_MS), nowMs: BigInt(nowMs) };
  insertEvents(db, { ...times, workspaceId, channelId: idOf("channel WHERE slug = 'single'") });
  const accepted = {
    fromMs: nowMs - deliveryDays * DAY_MS,
    teamId: idOf("channel WHERE slug = 'team'"),
    devicesAnEvent,
  };
  db.prepare(FILL_ACCEPTED).run({ workspaceId, ...accepted });
  for (const { sql } of indexes) db.exec(sql);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return performance.now() - startMs;
}

interface EventsToInsert {
  readonly workspaceId: number;
  readonly channelId: number;
  readonly events: bigint;
  readonly spanMs: bigint;
  readonly nowMs: bigint;
}

/** Events of one channel, spread evenly over a time that ends now. */
export function insertEvents(db: Database.Database, events: EventsToInsert): void {
  db.prepare(FILL_EVENTS).run(events);
}
