import type { EngineName } from '../schema/files.ts';

/** Fills a table with other columns than the source's table of that name. */
export interface Exception {
  /** The source's table; default: the same name. */
  readonly from?: string;
  /** SQL that follows the source's table. */
  readonly where?: string;
  /** Columns that the source lacks or uses otherwise: SQL of the source's engine. */
  readonly columns: Readonly<Record<string, string>>;
}

/**
 * Tables not moved: about the database, or stopped servers' work. `import_sample` only sorts lines.
 */
export const NOT_MOVED: ReadonlySet<string> = new Set([
  'function_file',
  'import_sample',
  'moved',
  'change',
  'node',
  'pushctl_schema',
  'queue_change',
  'queue_floor',
  'rolling_window',
  'room',
  'revocation',
]);

/** Exceptions by target engine. PostgreSQL nodes count for themselves: counts are added. */
export const EXCEPTIONS: Readonly<Record<EngineName, Readonly<Record<string, Exception>>>> = {
  postgres: {
    // SQLite numbers all channels' subscriptions together.
    channel: { columns: { last_number: "coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'subscription'), 0)" } },
    idempotency_key: {
      from: 'event',
      where: 'WHERE idempotency_key IS NOT NULL',
      columns: { workspace_id: 'workspace_id', key: 'idempotency_key', event_id: 'id' },
    },
    queue_clock: { columns: { jumped_at: '0' } },
    usage_of_node: { from: 'usage', columns: { node_id: '0', slot: '0' } },
    tally: { columns: { node_id: '0', slot: '0' } },
    fan_out: {
      columns: {
        expires_at: '(SELECT expires_at FROM event WHERE event.id = event_id)',
        home: '0',
        owner: 'NULL',
        records: '0',
        start: '0',
      },
    },
    delivery: {
      columns: {
        home: '0',
        owner: 'NULL',
        expires_at: "CASE state WHEN 'pending' THEN (SELECT expires_at FROM event WHERE event.id = event_id) END",
      },
    },
    import_line: { columns: { address: 'behind' } },
  },
  sqlite: {
    subscription: { columns: { number: 'row_number() OVER (ORDER BY channel_id, number)' } },
    usage: { from: 'usage_of_node', where: 'GROUP BY workspace_id, month', columns: { events: 'sum(events)' } },
    tally: {
      where: 'GROUP BY hour, workspace_id, channel_id, route, measure, reason',
      columns: { count: 'sum(count)' },
    },
    fan_out: {
      // Its stretches become one again: what lies behind the first is skipped if it is recorded.
      where: 'GROUP BY event_id, route, lane, workspace_id, channel_id',
      columns: {
        cursor: 'min(cursor)',
        last: 'max(last)',
        targeted: 'sum(targeted)',
        recorded: 'sum(recorded)',
      },
    },
    import_line: { columns: { behind: "''" } },
    queue_clock: { columns: { skipped_at_start: '0' } },
  },
};

/**
 * PostgreSQL numbers subscriptions per channel, SQLite all together. SQLite gets new numbers in the same order by
 * channel. `reading` maps `old` to `new`; `after` applies it to all columns with such numbers.
 */
export const RENUMBER = {
  table:
    'CREATE TEMP TABLE renumbered (channel_id INTEGER, old INTEGER, new INTEGER, PRIMARY KEY (channel_id, old)) WITHOUT ROWID',
  reading: {
    table: 'renumbered',
    columns: ['channel_id', 'old', 'new'],
    select:
      'SELECT channel_id, number AS old, row_number() OVER (ORDER BY channel_id, number) AS new FROM subscription',
  },
  after: `
    UPDATE event SET last_subscription = ${renumber('event.channel_id', 'last_subscription')}
      WHERE last_subscription IS NOT NULL;
    UPDATE fan_out SET last = ${renumber('fan_out.channel_id', 'last')},
      cursor = ${renumber('fan_out.channel_id', 'cursor')};
    UPDATE resend SET cursor = ${renumber('(SELECT channel_id FROM event WHERE id = event_id)', 'cursor')}
      WHERE stage NOT IN ('tried', 'done')`,
} as const;

/** SQL: the new number of a channel's last subscription up to an old one. */
function renumber(channel: string, old: string): string {
  return `coalesce((
    SELECT new FROM renumbered WHERE channel_id = ${channel} AND old <= ${old} ORDER BY old DESC LIMIT 1
  ), 0)`;
}
