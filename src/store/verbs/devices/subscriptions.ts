import type { Db } from '../../sqlite/transaction.ts';

/** Which device listens on which channel. Triggers keep `audience` in step with every change made here. */
export interface Subscriptions {
  /** Nothing changes where the device already listens there, or where the channel is gone. */
  add(deviceId: number, channelId: number): void;
  /** The same for each of them, in a third of the time. */
  addAll(deviceIds: readonly number[], channelId: number): void;
  /** Nothing changes where the device does not listen there. */
  remove(deviceId: number, channelId: number): void;
  /** The device is inactive from now on; its subscriptions wait for it. */
  suspend(deviceId: number): void;
  /** New numbers for all of a device's subscriptions: events accepted before now no longer reach it. */
  renew(deviceId: number): void;
}

export function subscriptions(db: Db): Subscriptions {
  /**
   * Asked for by itself: SQLite prepares an insertion anew at every call where it looks at both, which takes three
   * times as long.
   */
  const channelExists = db.prepare<[number], 1>('SELECT 1 FROM channel WHERE id = ?').pluck();
  const insert = db.prepare<[number, string]>(`
    INSERT INTO subscription (channel_id, device_id, user_id, route, active)
    SELECT ?, device.id, user_id, route, status = 'active'
    FROM json_each(?) AS asked CROSS JOIN device WHERE device.id = asked.value
    ON CONFLICT DO NOTHING
  `);
  const suspend = db.prepare<[number]>('UPDATE subscription SET active = 0 WHERE device_id = ?');
  const channelsOf = db
    .prepare<[number], number>('SELECT channel_id FROM subscription WHERE device_id = ? ORDER BY number')
    .pluck();
  const remove = db.prepare<[number, number]>('DELETE FROM subscription WHERE device_id = ? AND channel_id = ?');
  const removeAll = db.prepare<[number]>('DELETE FROM subscription WHERE device_id = ?');

  function addAll(deviceIds: readonly number[], channelId: number): void {
    if (channelExists.get(channelId) === 1) insert.run(channelId, JSON.stringify(deviceIds));
  }

  const add = (deviceId: number, channelId: number): void => addAll([deviceId], channelId);

  return {
    add,
    addAll,
    remove: (deviceId, channelId) => void remove.run(deviceId, channelId),
    suspend: (deviceId) => void suspend.run(deviceId),
    renew(deviceId) {
      const channelIds = channelsOf.all(deviceId);
      removeAll.run(deviceId);
      for (const channelId of channelIds) add(deviceId, channelId);
    },
  };
}
