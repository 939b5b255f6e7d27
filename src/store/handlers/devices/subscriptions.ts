import type { Sql } from '../../sql.ts';
import type { StoredMute } from './mutes.ts';

/** Which device is subscribed to which channel. Triggers keep `audience` in step with every change made here. */
export interface Subscriptions {
  /** Nothing changes where the device is subscribed already, or where the channel is gone. */
  add(deviceId: number, channelId: number): Promise<void>;
  /** Nothing changes where the device is not subscribed. */
  remove(deviceId: number, channelId: number): Promise<void>;
  /** What is muted of the channel on the device from now on, instead of what was. */
  mute(deviceId: number, channelId: number, mute: StoredMute): Promise<void>;
  /** Nothing is muted on the device any more. */
  unmuteAll(deviceId: number): Promise<void>;
  /** New numbers for all of a device's subscriptions: events accepted before now no longer reach it. Mutes stay. */
  renew(deviceId: number): Promise<void>;
}

export const CHANNEL_EXISTS = 'SELECT 1 FROM channel WHERE id = :channelId';

export function subscriptions(sql: Sql): Subscriptions {
  /**
   * Asked for by itself: SQLite prepares an insertion anew at every call where it looks at both, which takes three
   * times as long.
   */
  const channelExists = sql.value<{ channelId: number }, 1>(CHANNEL_EXISTS);
  const insert = sql.run<{ deviceId: number; channelId: number }>(`
    INSERT INTO subscription (channel_id, device_id, user_id, route, active)
    SELECT CAST(:channelId AS BIGINT), id, user_id, route, CASE status WHEN 'active' THEN 1 ELSE 0 END
    FROM device WHERE id = :deviceId
    ON CONFLICT (device_id, channel_id) DO NOTHING
  `);
  const allOf = sql.all<{ deviceId: number }, StoredMute & { readonly channelId: number }>(`
    SELECT channel_id AS "channelId", min_level AS "minLevel", muted_until AS "mutedUntilMs" FROM subscription
    WHERE device_id = :deviceId ORDER BY number
  `);
  const setMute = sql.run<StoredMute & { deviceId: number; channelId: number }>(`
    UPDATE subscription SET min_level = :minLevel, muted_until = :mutedUntilMs
    WHERE device_id = :deviceId AND channel_id = :channelId
      AND (min_level <> CAST(:minLevel AS BIGINT) OR muted_until <> CAST(:mutedUntilMs AS BIGINT))
  `);
  const unmuteAll = sql.run<{ deviceId: number }>(
    'UPDATE subscription SET min_level = 0, muted_until = 0 WHERE device_id = :deviceId',
  );
  const remove = sql.run<{ deviceId: number; channelId: number }>(
    'DELETE FROM subscription WHERE device_id = :deviceId AND channel_id = :channelId',
  );
  const removeAll = sql.run<{ deviceId: number }>('DELETE FROM subscription WHERE device_id = :deviceId');

  async function add(deviceId: number, channelId: number): Promise<void> {
    if ((await channelExists({ channelId })) === 1) await insert({ deviceId, channelId });
  }

  async function mute(deviceId: number, channelId: number, { minLevel, mutedUntilMs }: StoredMute): Promise<void> {
    await setMute({ deviceId, channelId, minLevel, mutedUntilMs });
  }

  return {
    add,
    mute,
    unmuteAll: async (deviceId) => void (await unmuteAll({ deviceId })),
    remove: async (deviceId, channelId) => void (await remove({ deviceId, channelId })),
    async renew(deviceId) {
      const subscriptions = await allOf({ deviceId });
      await removeAll({ deviceId });
      for (const { channelId, ...muted } of subscriptions) {
        await add(deviceId, channelId);
        await mute(deviceId, channelId, muted);
      }
    },
  };
}
