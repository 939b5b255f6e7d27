import { RENEWED_AT_ONCE } from '../../calls/own-devices.ts';
import type { Sql } from '../../sql.ts';
import type { StoredMute } from './mutes.ts';

/** Subscribes devices to channels. Triggers keep `audience` in step. */
interface Subscriptions {
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

/** PostgreSQL deletes the row, a revocation, and adds it with a channel's number; each counts. */
export const ROWS_OF_RENEWAL = 6;

interface Stale extends StoredMute {
  readonly channelId: number;
  readonly isMeant: 0 | 1;
}

/**
 * Reads outdated subscriptions by channel. `isMeant`: the person is in the channel's workspace. New owners have muted
 * nothing.
 */
const STALE = `
  SELECT subscription.channel_id AS "channelId",
    CASE WHEN subscription.user_id = device.user_id THEN min_level ELSE 0 END AS "minLevel",
    CASE WHEN subscription.user_id = device.user_id THEN muted_until ELSE 0 END AS "mutedUntilMs",
    CASE WHEN EXISTS (
      SELECT 1 FROM channel JOIN member ON member.workspace_id = channel.workspace_id
      WHERE channel.id = subscription.channel_id AND member.user_id = device.user_id
    ) THEN 1 ELSE 0 END AS "isMeant"
  FROM subscription JOIN device ON device.id = subscription.device_id
  WHERE subscription.device_id = :deviceId AND subscription.channel_id > CAST(:after AS BIGINT)
    AND subscription.generation <> device.generation
  ORDER BY subscription.channel_id LIMIT CAST(:limit AS BIGINT)`;

/**
 * Subscriptions of a device that changed owner or route, or is active again (`device.generation`). They get nothing
 * until renewed with new numbers, so no earlier events. Those outside the owner's workspaces end.
 */
interface Renewals {
  /** Renews the first `atOnce`, leaving others to a job. */
  begin(deviceId: number, atOnce?: number): Promise<void>;
  /** Renews up to `limit` behind this channel. Returns the last channel; null: none is left. */
  renewSome(deviceId: number, after: number, limit: number): Promise<number | null>;
  /** Continues `begin`. Returns whether that was all. */
  goOn(deviceId: number): Promise<boolean>;
}

export function renewals(sql: Sql): Renewals {
  const stale = sql.all<{ deviceId: number; after: number; limit: number }, Stale>(STALE);
  const leave = sql.run<{ deviceId: number; cursor: number }>(
    "INSERT INTO cleanup_job (kind, workspace_id, id, cursor) VALUES ('device', 0, :deviceId, :cursor)",
  );
  const nextJob = sql.get<{ deviceId: number }, { number: number; cursor: number }>(
    "SELECT number, cursor FROM cleanup_job WHERE kind = 'device' AND id = :deviceId ORDER BY number DESC LIMIT 1",
  );
  const moveOn = sql.run<{ number: number; cursor: number }>(
    'UPDATE cleanup_job SET cursor = :cursor WHERE number = :number',
  );
  const subscribed = subscriptions(sql);

  async function renewSome(deviceId: number, after: number, limit: number): Promise<number | null> {
    const rows = await stale({ deviceId, after, limit });
    for (const { channelId, isMeant, ...muted } of rows) {
      await subscribed.remove(deviceId, channelId);
      if (isMeant === 0) continue;
      await subscribed.add(deviceId, channelId);
      await subscribed.mute(deviceId, channelId, muted);
    }
    return rows.length < limit ? null : (rows.at(-1)?.channelId ?? null);
  }

  return {
    renewSome,
    async begin(deviceId, atOnce = RENEWED_AT_ONCE) {
      const last = await renewSome(deviceId, 0, atOnce);
      if (last !== null) await leave({ deviceId, cursor: last });
    },
    async goOn(deviceId) {
      const job = await nextJob({ deviceId });
      const last = job === undefined ? null : await renewSome(deviceId, job.cursor, RENEWED_AT_ONCE);
      // The next cleanup removes the job.
      if (job !== undefined && last !== null) await moveOn({ number: job.number, cursor: last });
      return last === null;
    },
  };
}
