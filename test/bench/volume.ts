import { join } from 'node:path';
import Database from 'better-sqlite3';

export const EVENTS = 5_000_000;
const DELIVERIES = 1_000_000;
const DEVICES_AN_EVENT = 100_000;
const DAY_MS = 86_400_000;
const SPAN_MS = 80 * DAY_MS;

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

/** The newest events wait for a retry to each device of the crowd. */
const FILL_DELIVERIES = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at, due_at)
  SELECT e.id, s.device_id, :workspaceId, 'apns_production', 'standard', 'pending', 1, 'ServiceUnavailable', :nowMs, :nowMs
  FROM (SELECT id FROM event ORDER BY id DESC LIMIT :waiting) e
  CROSS JOIN (SELECT device_id FROM subscription WHERE channel_id = :crowdId) s`;

const STILL_WAIT = `
  UPDATE event SET targeted = :devices, accepted = 0, expires_at = :nowMs + 86400000
  WHERE id > (SELECT max(id) FROM event) - :waiting`;

/**
 * Fills a data folder that no server uses; answers how many ms that took. Indexes are built at the end: that is many
 * times faster.
 */
export function fillDatabase(dataDir: string): number {
  const nowMs = Date.now();
  const waiting = DELIVERIES / DEVICES_AN_EVENT;
  return filling(dataDir, (db, { workspaceId, idOf }) => {
    // Numbers would be bound as floats, and SQL would divide them as such.
    const times = { events: BigInt(EVENTS), spanMs: BigInt(SPAN_MS), nowMs: BigInt(nowMs) };
    insertEvents(db, { ...times, workspaceId, channelId: idOf('one') });
    db.prepare(FILL_DELIVERIES).run({ waiting, nowMs, workspaceId, crowdId: idOf('crowd') });
    db.prepare(STILL_WAIT).run({ devices: DEVICES_AN_EVENT, waiting, nowMs });
  });
}

interface Place {
  readonly workspaceId: number;
  /** Of the channel of this name. */
  idOf(channel: string): number;
}

function filling(dataDir: string, fill: (db: Database.Database, place: Place) => void): number {
  const startMs = performance.now();
  const db = new Database(join(dataDir, 'pushctl.db'));
  db.pragma('synchronous = OFF');
  db.pragma('temp_store = MEMORY');
  db.pragma('cache_size = -400000');
  const indexes = db.prepare<[], { name: string; sql: string }>(INDEXES).all();
  const channel = db.prepare<[string], number>('SELECT id FROM channel WHERE slug = ?').pluck();
  const workspaceId = db.prepare<[], number>('SELECT id FROM workspace').pluck().get() ?? 0;
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  fill(db, { workspaceId, idOf: (slug) => channel.get(slug) ?? 0 });
  for (const { sql } of indexes) db.exec(sql);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return performance.now() - startMs;
}

/** What was accepted by the provider lately: of each event one row for each of some devices. */
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

/** As `fillDatabase`, with nothing that waits. */
export function fillWith(dataDir: string, { events, days, deliveryDays, devicesAnEvent }: Contents): number {
  const nowMs = Date.now();
  return filling(dataDir, (db, { workspaceId, idOf }) => {
    const times = { events: BigInt(events), spanMs: BigInt(days * DAY_MS), nowMs: BigInt(nowMs) };
    insertEvents(db, { ...times, workspaceId, channelId: idOf('one') });
    const fromMs = nowMs - deliveryDays * DAY_MS;
    db.prepare(FILL_ACCEPTED).run({ workspaceId, fromMs, teamId: idOf('team'), devicesAnEvent });
  });
}

/** Events of one channel, spread evenly over a time that ends now. */
export function insertEvents(db: Database.Database, events: EventsToInsert): void {
  db.prepare(FILL_EVENTS).run(events);
}

interface EventsToInsert {
  readonly workspaceId: number;
  readonly channelId: number;
  readonly events: bigint;
  readonly spanMs: bigint;
  readonly nowMs: bigint;
}
