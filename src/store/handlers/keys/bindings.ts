import { ifGiven, type Sql } from '../../sql.ts';

/** Binds keys to channels. A key stays bound even after its last channel is deleted. */
interface KeyBindings {
  bind(keyId: string, channelIds: readonly number[]): Promise<void>;
  copy(from: string, to: string): Promise<void>;
  slugsOf(keyId: string): Promise<readonly string[]>;
}

/** SQL: the key `:boundKeyId` reaches the channel. If it is NULL, all channels are reached (`Reach`). */
export function isInReach(channelId: string): string {
  return ifGiven('boundKeyId', `${channelId} IN (SELECT channel_id FROM key_channel WHERE key_id = :boundKeyId)`);
}

/** Above any key's number. Keeps PostgreSQL from reading all channels' bindings. */
const MOST_BOUND = 1_000;

export function keyBindings(sql: Sql): KeyBindings {
  const insert = sql.run<{ keyId: string; channelId: number }>(
    'INSERT INTO key_channel (key_id, channel_id) VALUES (:keyId, :channelId)',
  );
  const copy = sql.run<{ from: string; to: string }>(
    'INSERT INTO key_channel (key_id, channel_id) SELECT :to, channel_id FROM key_channel WHERE key_id = :from',
  );
  const slugs = sql.values<{ keyId: string }, string>(`
    SELECT channel.slug FROM (
      SELECT channel_id FROM key_channel WHERE key_id = CAST(:keyId AS TEXT) LIMIT ${MOST_BOUND}
    ) AS bound JOIN channel ON channel.id = bound.channel_id
    ORDER BY channel.slug
  `);

  return {
    async bind(keyId, channelIds) {
      for (const channelId of channelIds) await insert({ keyId, channelId });
    },
    copy: async (from, to) => void (await copy({ from, to })),
    slugsOf: async (keyId) => slugs({ keyId }),
  };
}
