import { insist } from './alerts.ts';
import type { EngineName } from './engine-names.ts';
import type { Engine, PostgresOnly, SqliteOnly } from './engines.ts';
import { hashOf } from './people.ts';
import { granted } from './refusals.ts';
import { aWorld, NOW_MS, type World } from './world.ts';

/** Rows of each large table and workspace. */
export const ROWS = 50_000;
/** The device that is subscribed to all channels, of the person p6. */
const BUSY_DEVICE = 5;
/** Its id, in the workspace with an internal id. */
export const busyDevice = (workspaceId: number) =>
  `dev_${(workspaceId * 1_000_000 + BUSY_DEVICE).toString(16).padStart(26, '0')}`;
/** The first devices, which events reach first, are subscribed to so many channels. */
const MANY_CHANNELS = 80;
const WITH_MANY_CHANNELS = 100;
/** The person with 100 sessions, each with five rights. */
export const MUCH_SIGNED_IN = 'p7';
/** A key that is bound to 100 channels, in the workspace; the oldest key is as well, and revoked. */
export const manyChannelsKey = (slug: string) => `k2-${slug}`;
const KEYS = 196;
const HEARTBEATS = 97;
/** The alert with the key `k7`, to which 1,000 events belong. */
const BUSY_ALERT = 7;
const MEMBERS = 498;
const CHANNELS = 496;
const HOUR_MS = 3_600_000;

/** The expressions that differ between the engines: 16 bytes and 64 hexadecimal digits, of `i` and a workspace. */
const WORDS: Readonly<Record<EngineName, { uuid: string; bytes: string; hex: string }>> = {
  sqlite: {
    uuid: "unhex('01930000000070008000' || printf('%012x', i + w * 1000000))",
    bytes: 'randomblob(32)',
    hex: "printf('%064x', i + w * 1000000)",
  },
  postgres: {
    uuid: "decode('01930000000070008000' || lpad(to_hex(i + w * 1000000), 12, '0'), 'hex')",
    bytes: "sha256(convert_to(i || ' ' || w, 'UTF8'))",
    hex: "lpad(to_hex(i + w * 1000000), 64, '0')",
  },
};

/** A workspace of the crowd: its internal id, and that of its channel `alerts`. */
interface Place {
  readonly workspaceId: number;
  readonly slug: string;
  readonly channelId: number;
  readonly leadsId: number;
  readonly webhookId: string;
}

/** Executes SQL in a world's database, and asks for one value. */
export interface Database {
  execute(sql: string): Promise<void>;
  value<T>(sql: string): Promise<T | undefined>;
}

export function databaseOf(world: World, engine: EngineName): Database {
  if (engine === 'sqlite') {
    const { db } = world as unknown as SqliteOnly;
    return {
      execute: async (sql) => void db.exec(sql),
      value: async <T>(sql: string) => db.prepare<[], T>(sql).pluck().get(),
    };
  }
  const { connections } = (world as unknown as PostgresOnly).store;
  return {
    execute: (sql) => connections.lend(({ execute }) => execute(sql, { isLong: true })),
    value: async <T>(sql: string) => connections.lend(({ sql: ask }) => ask.value<object, T>(sql)({})),
  };
}

/**
 * Two workspaces, `acme` and `other`. Each has 50,000 open alerts whose events all wait, and as many devices, messages
 * for a webhook, audit entries and hourly counters. Each has as many members, channels and keys as it may have.
 */
export async function aCrowd(engine: Engine): Promise<World> {
  const world = await aWorld({ engine, channels: ['alerts', 'leads'], devices: { ios: 1 } });
  await world.addWorkspace('other', { channels: ['alerts', 'leads'], owner: 'eve@example.com' });
  const database = databaseOf(world, engine.name);
  for (const slug of ['acme', 'other']) {
    const policy = { repeat: 60, until: 3_000, escalate: { after: 60, channel: 'leads' } };
    granted(await world.calls.updateChannel({ workspace: slug, slug: 'alerts', insist: policy }));
    const secret = `whsec_${'A'.repeat(43)}=`;
    const { id } = granted(await world.calls.createWebhook({ workspace: slug, url: 'https://example.com/', secret }));
    const of = (what: string, named: string) =>
      database.value<number>(`SELECT ${what}.id FROM ${named} WHERE workspace.slug = '${slug}'`);
    const channel = (name: string) =>
      of('channel', `channel JOIN workspace ON workspace.id = channel.workspace_id AND channel.slug = '${name}'`);
    const place = {
      slug,
      webhookId: id,
      workspaceId: (await of('workspace', 'workspace')) ?? 0,
      channelId: (await channel('alerts')) ?? 0,
      leadsId: (await channel('leads')) ?? 0,
    };
    const statements = crowdOf(place, engine.name);
    const all =
      engine.name === 'sqlite'
        ? ['PRAGMA foreign_keys = OFF', 'BEGIN', ...statements, 'COMMIT', 'PRAGMA foreign_keys = ON']
        : [
            'SET session_replication_role = replica; SET statement_timeout = 0',
            ...statements,
            'RESET session_replication_role; RESET statement_timeout',
          ];
    await database.execute(all.join(';\n'));
  }
  if (engine.name === 'postgres') await database.execute('ANALYZE');
  await insist(world);
  return world;
}

function crowdOf({ workspaceId: w, slug, channelId, leadsId, webhookId }: Place, engine: EngineName): string[] {
  const { uuid, bytes, hex } = WORDS[engine];
  const base = w * 1_000_000;
  const people = w * 10_000;
  const from = (count: number) =>
    `FROM (WITH RECURSIVE n(i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i, ${w} AS w FROM n) AS made`;
  const fill = (table: string, columns: string, values: string, count = ROWS, behind = '') =>
    `INSERT INTO ${table} (${columns}) SELECT ${values} ${from(count)} ${behind}`;
  const atMs = NOW_MS - HOUR_MS;
  const hashInHex = hashOf('device token');
  const tokenHash = engine === 'sqlite' ? `x'${hashInHex}'` : `'\\x${hashInHex}'::bytea`;
  const number = engine === 'sqlite' ? `${base} + i` : '100 + i';
  return [
    fill(
      'person',
      'id, email, name, created_at',
      `${people} + i, 'p' || i || '@${slug}.example', 'P' || i, ${atMs}`,
      MEMBERS,
    ),
    fill('member', 'workspace_id, user_id, role, created_at', `${w}, ${people} + i, 'member', ${atMs}`, MEMBERS),
    fill(
      'channel',
      'id, workspace_id, slug, name, created_at',
      `${people} + i, ${w}, 'c' || i, 'C' || i, ${atMs}`,
      CHANNELS,
    ),
    fill(
      'event',
      'id, uuid, workspace_id, channel_id, title, level, urgency, collapse_key, had_links, targeted, received_at, expires_at, alert_id',
      `${base} + i, ${uuid}, ${w}, ${channelId}, 'Disk full', 'error', 'time_sensitive', 'k' || i, 0, ${ROWS}, ${atMs}, ${NOW_MS + HOUR_MS}, ${base} + i`,
    ),
    fill(
      'alert',
      'event_id, workspace_id, channel_id, collapse_key, state, newest_event_id, opened_at, stops_at, escalate_at, due_at, set_at',
      `${base} + i, ${w}, ${channelId}, 'k' || i, 'open', ${base} + i, ${atMs}, ${NOW_MS - 1}, NULL, ${NOW_MS - 1}, ${atMs}`,
    ),
    `UPDATE event SET alert_id = ${base + BUSY_ALERT} WHERE id BETWEEN ${base + 10_000} AND ${base + 11_000}`,
    fill('escalation', 'event_id, place, channel_id', `${base} + i, 1, ${leadsId}`),
    fill(
      'fan_out',
      `route, lane, workspace_id, event_id, channel_id, last, targeted${engine === 'postgres' ? ', expires_at' : ''}`,
      `'apns_production', 'urgent', ${w}, ${base} + i, ${channelId}, ${engine === 'sqlite' ? base + ROWS : ROWS + 100}, ${ROWS}${
        engine === 'postgres' ? `, ${NOW_MS + HOUR_MS}` : ''
      }`,
    ),
    `INSERT INTO insisting (channel_id, next_at, repeat_ms) VALUES (${channelId}, ${NOW_MS}, 60000)`,
    fill(
      'delivery',
      `event_id, device_id, workspace_id, route, lane, state, attempts, reason, at`,
      `${base} + i, ${base} + i, ${w}, 'apns_production', 'urgent', 'failed', 1, 'BadDeviceToken', ${atMs}`,
    ),
    fill(
      'attempt',
      'event_id, device_id, number, at, reason',
      `${base} + i, ${base} + i, 1, ${atMs}, 'TooManyRequests'`,
    ),
    fill(
      'device',
      'id, public_id, user_id, platform, route, environment, token, name, registered_at',
      `${base} + i, 'dev_' || substr(${hex}, 39), ${people} + 1 + i % ${MEMBERS}, 'ios', 'apns_production', 'production', ${hex}, 'Phone', ${atMs}`,
    ),
    fill('reporter', 'device_id, token_hash, shown_at', `${base} + i, ${tokenHash}, ${atMs}`),
    fill('receipt', 'event_id, device_id, awaited_until', `${base} + i, ${base} + 1 + i % 10, ${atMs}`),
    fill(
      'subscription',
      'channel_id, number, device_id, user_id, route, active',
      `${channelId}, ${number}, ${base} + i, ${people} + 1 + i % ${MEMBERS}, 'apns_production', 1`,
    ),
    fill(
      'subscription',
      'channel_id, number, device_id, user_id, route, active',
      `${people} + i, ${engine === 'sqlite' ? `${base + 100_000} + i` : '1'}, ${base + BUSY_DEVICE}, ${people + 1 + BUSY_DEVICE}, 'apns_production', 1`,
      CHANNELS,
    ),
    fill(
      'subscription',
      'channel_id, number, device_id, user_id, route, active',
      `${people + 1} + (i - 1) / ${WITH_MANY_CHANNELS}, ${engine === 'sqlite' ? `${base + 200_000} + i` : `2 + (i - 1) % ${WITH_MANY_CHANNELS}`},
        ${base + 1} + (i - 1) % ${WITH_MANY_CHANNELS}, ${people + 2} + (i - 1) % ${WITH_MANY_CHANNELS}, 'apns_production', 1`,
      MANY_CHANNELS * WITH_MANY_CHANNELS,
      'WHERE true ON CONFLICT DO NOTHING',
    ),
    `UPDATE device SET refused_at = ${atMs}, refused_reason = 'TopicDisallowed' WHERE id BETWEEN ${base + 1} AND ${base + WITH_MANY_CHANNELS}`,
    fill(
      'api_key',
      'id, workspace_id, origin, name, secret_hash, scopes, bound, created_at, revoked_at',
      `'k' || i || '-${slug}', ${w}, 'k' || i || '-${slug}', 'K', ${bytes}, 'events:write', 1, ${atMs} + i, CASE i WHEN 1 THEN ${atMs} END`,
      KEYS,
    ),
    fill('key_channel', 'key_id, channel_id', `'k' || i || '-${slug}', ${channelId}`, KEYS),
    ...['k1', 'k2'].map((key) => fill('key_channel', 'key_id, channel_id', `'${key}-${slug}', ${people} + i`, 99)),
    fill('ended_group', 'channel_id, name, alerts, noted_at', `${channelId}, 'g' || i, '{}', ${atMs}`, 200),
    fill(
      'heartbeat',
      'workspace_id, channel_id, slug, name, uuid, every, cron, timezone, grace, state, due_at, down_at, created_at',
      `${w}, ${channelId}, 'b' || i, 'B', 'b' || i || '-${slug}', CASE i % 2 WHEN 0 THEN 60 END, CASE i % 2 WHEN 1 THEN '0 3 * * *' END,
        CASE i % 2 WHEN 1 THEN 'UTC' END, 60, 'up', ${NOW_MS} + i, ${NOW_MS + 60_000} + i, ${atMs}`,
      HEARTBEATS,
    ),
    fill(
      'read_apart',
      'user_id, workspace_id, channel_id, level, event_id, is_read',
      `${people + 1 + BUSY_DEVICE}, ${w}, ${channelId}, 'error', ${base + 1} + i, 1`,
      1_900,
    ),
    fill(
      'read_mark',
      'user_id, workspace_id, channel_id, level, up_to',
      `${people + 1 + BUSY_DEVICE}, ${w}, ${people} + i, 'info', 1`,
      CHANNELS,
    ),
    ...(engine === 'postgres'
      ? [
          `UPDATE channel SET last_number = 1000 WHERE workspace_id = ${w}`,
          `UPDATE channel SET last_number = ${ROWS + 1_000} WHERE id = ${channelId}`,
          fill('audience', 'channel_id, route, devices', `${people} + i, 'apns_production', 1`, CHANNELS),
        ]
      : []),
    `UPDATE audience SET devices = devices + ${ROWS} WHERE channel_id = ${channelId}`,
    fill(
      'audit',
      'at, actor_kind, actor, action, workspace, object',
      `${atMs}, 'user', 'ada@example.com', 'device.add', '${slug}', 'dev_' || i`,
    ),
    fill(
      'tally',
      `hour, workspace_id, channel_id, route, measure, reason, count${engine === 'postgres' ? ', node_id' : ''}`,
      `${HOUR_MS} * i, ${w}, ${channelId}, 'apns_production', 'accepted', '', 1${engine === 'postgres' ? ', 0' : ''}`,
    ),
    fill(
      'webhook_message',
      'webhook_id, workspace_id, message, kind, subject, data, at',
      `'${webhookId}', ${w}, 'm' || i, 'alert.opened', 'alert ' || i, '{}', ${atMs}`,
    ),
    fill(
      'session',
      'token_hash, user_id, created_at, last_seen_at, expires_at',
      `${bytes}, ${people} + 1 + i % ${MEMBERS}, ${atMs}, ${atMs}, ${NOW_MS + HOUR_MS}`,
    ),
    `INSERT INTO voucher (user_id, session, workspace_id, role)
      SELECT user_id, token_hash, ${w}, role FROM session
      CROSS JOIN (SELECT 'owner' AS role UNION ALL SELECT 'admin' UNION ALL SELECT 'member' UNION ALL SELECT 'owner' UNION ALL SELECT 'member') AS roles
      WHERE user_id = ${people + 7}`,
  ];
}
