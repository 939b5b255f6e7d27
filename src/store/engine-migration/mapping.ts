export type EngineName = 'sqlite' | 'postgres';

/** Columns by name: what the other engine is asked for to fill them, in its words. */
type Computed = Readonly<Record<string, string>>;

/** What becomes of a table when a store is moved from one engine to the other. */
export interface MovedTable {
  /** Null: that engine has no such table, and what is in the other's stands elsewhere. */
  readonly sqlite: string | null;
  readonly postgres: string | null;
  /** Columns of both that mean the same. */
  readonly same: readonly string[];
  /** The other columns of PostgreSQL's table, out of SQLite, and from where. */
  readonly toPostgres: Computed;
  readonly fromSqlite: string | null;
  /** And the other way. */
  readonly toSqlite: Computed;
  readonly fromPostgres: string | null;
}

/**
 * Every table, in such an order that none comes before what it refers to. Numbers and ids stay as they are, but for
 * those of subscriptions: `RENUMBERED`.
 *
 * Nothing is out while a store is moved. So pages that a node of PostgreSQL's had out go back into their fan-outs, and
 * whatever nodes counted for themselves is summed.
 */
export const TABLES: readonly MovedTable[] = [
  alike('plan', 'name monthly_events'),
  alike('workspace', 'id slug name status plan created_at'),
  {
    ...alike(
      'channel',
      'id workspace_id slug name status created_at insist_repeat insist_until escalate_after escalate_to quiet',
    ),
    // SQLite has one row of numbers for all channels.
    toPostgres: { last_number: "coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'subscription'), 0)" },
  },
  alike(
    'api_key',
    'id workspace_id name secret_hash scopes burst_per_minute created_at expires_at revoked_at last_used_at life successor bound',
  ),
  alike('key_channel', 'key_id channel_id'),
  alike(
    'heartbeat',
    `id workspace_id channel_id slug name uuid every cron timezone grace state last_ping_at last_start_at last_duration
    last_output started_at rid due_at down_at down_since created_at`,
  ),
  alike('heartbeat_mark', 'id at wall_at'),
  alike('person', 'id email name password created_at'),
  alike('member', 'workspace_id user_id role created_at read_up_to'),
  alike('read_mark', 'user_id workspace_id channel_id level up_to'),
  alike('read_apart', 'user_id workspace_id channel_id level event_id is_read'),
  alike('session', 'token_hash user_id user_agent created_at last_seen_at expires_at confirmed_at'),
  alike('pairing_code', 'code_hash user_id expires_at made_in is_proof'),
  alike('passkey', 'id user_id credential public_key counter rp_id name created_at last_used_at'),
  alike('spent_challenge', 'hash expires_at'),
  alike('identity', 'issuer subject user_id linked_at'),
  alike('voucher', 'user_id session code password_of passkey workspace_id role vouched_by'),
  alike(
    'device',
    `id public_id user_id platform route environment token_kind token keys name app_version status inactive_reason
    registered_at accepted_at refused_at refused_reason`,
  ),
  {
    ...alike('subscription', 'channel_id device_id user_id route active min_level muted_until'),
    toPostgres: { number: 'number' },
    toSqlite: { number: 'row_number() OVER (ORDER BY channel_id, number)' },
  },
  // Behind the subscriptions, which SQLite counts as they come.
  alike('audience', 'channel_id route devices'),
  alike(
    'event',
    `id uuid workspace_id channel_id title description level urgency event_type collapse_key expires_in idempotency_key
    had_links links_mark targeted last_subscription occurred_at received_at expires_at cancelled_at accepted failed
    unregistered expired withdrawn fitted first_accepted_at last_accepted_at kind alert_id alert quiet send_at posted_at
    announced`,
  ),
  alike(
    'alert',
    `event_id workspace_id channel_id collapse_key state newest_event_id opened_at stops_at escalate_at snoozed_until due_at set_at
    reminders reminded_at acknowledged_kind acknowledged_by acknowledged_at ended_kind ended_by ended_at`,
  ),
  alike('escalation', 'event_id place channel_id'),
  alike('insisting', 'channel_id next_at repeat_ms'),
  // Behind alerts and heartbeats: of those that are moved they hear nothing.
  alike(
    'webhook',
    `id workspace_id url kinds secret old_secret old_secret_ends_at status disabled_reason failures failing_since
    last_failure last_taken_at dropped rests_until busy_until served_at created_at`,
  ),
  alike('webhook_message', 'id webhook_id workspace_id message kind subject data at attempts due_at'),
  {
    ...alike('idempotency_key', ''),
    sqlite: null,
    toPostgres: { workspace_id: 'workspace_id', key: 'idempotency_key', event_id: 'id' },
    fromSqlite: 'event WHERE idempotency_key IS NOT NULL',
  },
  {
    ...alike('usage', 'workspace_id month'),
    postgres: 'usage_of_node',
    toPostgres: { node_id: '0', events: 'events' },
    toSqlite: { events: 'sum(events)' },
    fromPostgres: 'usage_of_node GROUP BY workspace_id, month',
  },
  {
    ...alike('tally', 'hour workspace_id channel_id route measure reason'),
    toPostgres: { node_id: '0', count: 'count' },
    toSqlite: { count: 'sum(count)' },
    fromPostgres: 'tally GROUP BY hour, workspace_id, channel_id, route, measure, reason',
  },
  {
    ...alike('fan_out', 'route lane workspace_id event_id channel_id last targeted'),
    toPostgres: {
      // One that is settled to its end and not ended yet is found only where something is left to be claimed.
      claimed_to: 'min(cursor, last - 1)',
      expires_at: '(SELECT expires_at FROM event WHERE event.id = event_id)',
      home: '0',
      is_open: '1',
    },
    toSqlite: {
      recorded: 'fan_out.recorded',
      cursor: `least(claimed_to, (
        SELECT min(from_number) FROM claim
        WHERE claim.event_id = fan_out.event_id AND claim.route = fan_out.route AND from_number < to_number
      ))`,
    },
  },
  {
    ...alike('fan_out_progress', ''),
    sqlite: null,
    toPostgres: { event_id: 'event_id', route: 'route', recorded: 'recorded' },
    fromSqlite: 'fan_out WHERE recorded > 0',
  },
  {
    ...alike('delivery', 'event_id device_id workspace_id route lane state attempts reason at due_at'),
    toPostgres: {
      claim_id: 'NULL',
      home: '0',
      expires_at: "CASE state WHEN 'pending' THEN (SELECT expires_at FROM event WHERE event.id = event_id) END",
    },
  },
  alike('attempt', 'event_id device_id number at reason'),
  alike('set_aside', 'event_id route lane workspace_id at reason'),
  alike('resend', 'event_id stage cursor resent at'),
  alike('route_pause', 'route at'),
  alike('remains', 'number kind workspace_id id cursor holds'),
  alike('import', 'id name workspace_id user_id state touched_at staged wrong mistakes imported updated'),
  {
    ...alike('import_line', 'import_id line device'),
    // Both only say in which order lines are registered, for the sake of speed.
    toPostgres: { address: 'behind' },
    toSqlite: { behind: "''" },
  },
  alike('audit', 'id at actor_kind actor address action workspace object'),
  alike('vapid_key', 'id public_key private_key made_at'),
];

/**
 * PostgreSQL counts the subscriptions of each channel by itself, SQLite all of them in one row. So they are numbered
 * anew on the way to SQLite, by channel and in the order that they had; `old` and `new` say how, for whatever points at
 * one (`RENUMBER`).
 */
export const RENUMBERED: MovedTable = {
  ...alike('renumbered', 'channel_id'),
  postgres: null,
  toSqlite: { old: 'number', new: 'row_number() OVER (ORDER BY channel_id, number)' },
  fromPostgres: 'subscription',
};

const RENUMBERED_TABLE = `
  CREATE TEMP TABLE renumbered (channel_id INTEGER, old INTEGER, new INTEGER, PRIMARY KEY (channel_id, old)) WITHOUT ROWID`;

/** The new number of the last subscription of a channel up to an old one. */
function renumbered(channel: string, old: string): string {
  return `coalesce((
    SELECT new FROM renumbered WHERE channel_id = ${channel} AND old <= ${old} ORDER BY old DESC LIMIT 1
  ), 0)`;
}

const CHANNEL_OF_EVENT = '(SELECT channel_id FROM event WHERE id = event_id)';

/** What SQLite carries out once all tables are filled. */
export const RENUMBER = {
  before: RENUMBERED_TABLE,
  after: `
    UPDATE event SET last_subscription = ${renumbered('event.channel_id', 'last_subscription')}
      WHERE last_subscription IS NOT NULL;
    UPDATE fan_out SET last = ${renumbered('fan_out.channel_id', 'last')},
      cursor = ${renumbered('fan_out.channel_id', 'cursor')};
    UPDATE resend SET cursor = ${renumbered(CHANNEL_OF_EVENT, 'cursor')} WHERE stage NOT IN ('tried', 'done')`,
} as const;

/** What one engine is asked for to fill a table of the other's. */
export interface Reading {
  readonly table: string;
  readonly columns: readonly string[];
  readonly select: string;
}

/** Null: the engine that it goes to has no such table. */
export function readingFor(to: EngineName, moved: MovedTable): Reading | null {
  const table = moved[to];
  if (table === null) return null;
  const [computed, from, own] =
    to === 'postgres'
      ? [moved.toPostgres, moved.fromSqlite, moved.sqlite]
      : [moved.toSqlite, moved.fromPostgres, moved.postgres];
  const parts = [
    ...moved.same.map(quoted),
    ...Object.entries(computed).map(([name, of]) => `${of} AS ${quoted(name)}`),
  ];
  return {
    table,
    columns: [...moved.same, ...Object.keys(computed)],
    select: `SELECT ${parts.join(', ')} FROM ${from ?? quoted(own ?? table)}`,
  };
}

export function quoted(name: string): string {
  return `"${name}"`;
}

/** A table that both have by the same name. */
function alike(name: string, same: string): MovedTable {
  return {
    sqlite: name,
    postgres: name,
    same: same.split(/\s+/).filter(Boolean),
    toPostgres: {},
    fromSqlite: null,
    toSqlite: {},
    fromPostgres: null,
  };
}
