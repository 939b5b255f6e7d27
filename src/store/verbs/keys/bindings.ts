import type { Db } from '../../sqlite/transaction.ts';

/** Which channels a key may name. It stays bound when one of them is deleted, and when the last one is. */
export interface KeyBindings {
  bind(keyId: string, channelIds: readonly number[]): void;
  /** Binds a key to the channels of another. */
  copy(from: string, to: string): void;
  /** The slugs of its channels, in their order. */
  slugsOf(keyId: string): readonly string[];
  /** `boundKeyId` null: a key that may name any channel. `channelId` null: a test push, which belongs to none. */
  allows(boundKeyId: string | null, channelId: number | null): boolean;
}

export function keyBindings(db: Db): KeyBindings {
  const insert = db.prepare<[string, number]>('INSERT INTO key_channel (key_id, channel_id) VALUES (?, ?)');
  const copy = db.prepare<[string, string]>(
    'INSERT INTO key_channel (key_id, channel_id) SELECT ?, channel_id FROM key_channel WHERE key_id = ?',
  );
  const slugs = db
    .prepare<[string], string>(`
      SELECT channel.slug FROM key_channel JOIN channel ON channel.id = key_channel.channel_id
      WHERE key_id = ? ORDER BY channel.slug
    `)
    .pluck();
  const isBoundTo = db
    .prepare<[string, number], 1>('SELECT 1 FROM key_channel WHERE key_id = ? AND channel_id = ?')
    .pluck();

  return {
    bind(keyId, channelIds) {
      for (const channelId of channelIds) insert.run(keyId, channelId);
    },
    copy: (from, to) => void copy.run(to, from),
    slugsOf: (keyId) => slugs.all(keyId),
    allows: (boundKeyId, channelId) =>
      boundKeyId === null || (channelId !== null && isBoundTo.get(boundKeyId, channelId) === 1),
  };
}
