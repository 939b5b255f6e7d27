import type { Sql } from '../../sql.ts';

/** Which device is subscribed to which channel. Triggers keep `audience` in step with every change made here. */
export interface Subscriptions {
  /** Nothing changes where the device is subscribed already, or where the channel is gone. */
  add(deviceId: number, channelId: number): Promise<void>;
  /** Nothing changes where the device is not subscribed. */
  remove(deviceId: number, channelId: number): Promise<void>;
  /** The device is inactive from now on; its subscriptions wait for it. */
  suspend(deviceId: number): Promise<void>;
  /** New numbers for all of a device's subscriptions: events accepted before now no longer reach it. */
  renew(deviceId: number): Promise<void>;
}

export const CHANNEL_EXISTS = 'SELECT 1 FROM channel WHERE id = :channelId';
export const SUSPEND = 'UPDATE subscription SET active = 0 WHERE device_id = :deviceId';

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
  const suspend = sql.run<{ deviceId: number }>(SUSPEND);
  const channelsOf = sql.values<{ deviceId: number }, number>(
    'SELECT channel_id FROM subscription WHERE device_id = :deviceId ORDER BY number',
  );
  const remove = sql.run<{ deviceId: number; channelId: number }>(
    'DELETE FROM subscription WHERE device_id = :deviceId AND channel_id = :channelId',
  );
  const removeAll = sql.run<{ deviceId: number }>('DELETE FROM subscription WHERE device_id = :deviceId');

  async function add(deviceId: number, channelId: number): Promise<void> {
    if ((await channelExists({ channelId })) === 1) await insert({ deviceId, channelId });
  }

  return {
    add,
    remove: async (deviceId, channelId) => void (await remove({ deviceId, channelId })),
    suspend: async (deviceId) => void (await suspend({ deviceId })),
    async renew(deviceId) {
      const channelIds = await channelsOf({ deviceId });
      await removeAll({ deviceId });
      for (const channelId of channelIds) await add(deviceId, channelId);
    },
  };
}
