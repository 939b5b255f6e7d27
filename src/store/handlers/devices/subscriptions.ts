import type { Sql } from '../../sql.ts';
import type { StoredMute } from './mutes.ts';

/** Subscribes devices to channels. Triggers keep `audience` in step. */
export interface Subscriptions {
  /** Changes nothing if subscribed, or the channel is gone. */
  add(deviceId: number, channelId: number): Promise<void>;
  /** No effect if not subscribed. */
  remove(deviceId: number, channelId: number): Promise<void>;
  mute(deviceId: number, channelId: number, mute: StoredMute): Promise<void>;
}

export const CHANNEL_EXISTS = 'SELECT 1 FROM channel WHERE id = :channelId';

export function subscriptions(sql: Sql): Subscriptions {
  /** Asks separately: SQLite would prepare a combined insertion at every call, three times as long. */
  const channelExists = sql.value<{ channelId: number }, 1>(CHANNEL_EXISTS);
  const insert = sql.run<{ deviceId: number; channelId: number }>(`
    INSERT INTO subscription (channel_id, device_id, user_id, route, active, generation)
    SELECT CAST(:channelId AS BIGINT), id, user_id, route, CASE status WHEN 'active' THEN 1 ELSE 0 END, generation
    FROM device WHERE id = :deviceId
    ON CONFLICT (device_id, channel_id) DO NOTHING
  `);
  const setMute = sql.run<StoredMute & { deviceId: number; channelId: number }>(`
    UPDATE subscription SET min_level = :minLevel, muted_until = :mutedUntilMs
    WHERE device_id = :deviceId AND channel_id = :channelId
      AND (min_level <> CAST(:minLevel AS BIGINT) OR muted_until <> CAST(:mutedUntilMs AS BIGINT))
  `);
  const remove = sql.run<{ deviceId: number; channelId: number }>(
    'DELETE FROM subscription WHERE device_id = :deviceId AND channel_id = :channelId',
  );

  return {
    async add(deviceId, channelId) {
      if ((await channelExists({ channelId })) === 1) await insert({ deviceId, channelId });
    },
    async mute(deviceId, channelId, { minLevel, mutedUntilMs }) {
      await setMute({ deviceId, channelId, minLevel, mutedUntilMs });
    },
    remove: async (deviceId, channelId) => void (await remove({ deviceId, channelId })),
  };
}
