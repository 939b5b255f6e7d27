import { addressBeginning, storedAddress } from '../../contract/addresses.ts';
import type { ImportDeps, NewLine, StagedDevice, StagedLine, StagedLines } from '../handlers/devices/import-steps.ts';
import { type DeviceRow, newDeviceRow } from '../handlers/devices/registration.ts';
import { CHANNEL_EXISTS } from '../handlers/devices/subscriptions.ts';
import type { Sql } from '../sql.ts';
import { limited } from './removal.ts';
import { storable } from './sql.ts';

const STEP_MS = 200;

export function importDeps(sql: Sql): ImportDeps {
  return {
    staged: stagedLines(sql),
    stepMs: STEP_MS,
    changedAmong: changes(sql),
    registerNew: registeringNew(sql),
    subscribeAll: subscribers(sql),
    muteAll: muting(sql),
  };
}

/** Stores lines by address: devices registered in sequence are close in the index. */
function stagedLines(sql: Sql): StagedLines {
  const add = sql.run<{ importId: number; lines: string }>(`
    INSERT INTO import_line (import_id, address, line, device)
    SELECT CAST(:importId AS BIGINT), address, line, device
    FROM json_to_recordset(CAST(:lines AS JSON)) AS staged (address TEXT, line BIGINT, device TEXT)
  `);
  const next = sql.all<{ importId: number; limit: number }, Omit<StagedLine, 'device'> & { readonly device: string }>(`
    SELECT address AS place, line, device FROM import_line WHERE import_id = :importId
    ORDER BY address, line LIMIT :limit
  `);
  const replace = sql.run<{ importId: number; place: string; line: number; device: string }>(
    'UPDATE import_line SET device = :device WHERE import_id = :importId AND address = :place AND line = :line',
  );
  const removeUpTo = sql.run<{ importId: number; place: string; line: number }>(
    'DELETE FROM import_line WHERE import_id = :importId AND (address, line) <= (:place, :line)',
  );
  const remove = sql.run<{ importId: number; limit: number }>(
    limited('import_line', 'import_id, address, line', 'import_id = :importId'),
  );

  return {
    async add(importId, _, lines) {
      await add({ importId, lines: JSON.stringify(lines.map(rowOf)) });
    },
    async next(importId, limit) {
      const rows = await next({ importId, limit });
      return rows.map(({ device, ...line }) => ({ ...line, device: JSON.parse(device) as StagedDevice }));
    },
    async replace(importId, { device, ...place }) {
      await replace({ importId, ...place, device: JSON.stringify(device) });
    },
    removeUpTo: async (importId, { place, line }) => void (await removeUpTo({ importId, place, line })),
    remove: async (importId, limit) => remove({ importId, limit }),
  };
}

function rowOf({ line, device }: NewLine) {
  return { address: addressBeginning(storedAddress(device)), line, device: JSON.stringify(device) };
}

function changes(sql: Sql): ImportDeps['changedAmong'] {
  const changed = sql.values<{ devices: string }, number>(`
    SELECT place FROM json_to_recordset(CAST(:devices AS JSON))
      AS line (place BIGINT, "userId" BIGINT, platform TEXT, route TEXT, token TEXT)
    JOIN device ON device.platform = line.platform AND device.token = line.token
    WHERE device.user_id <> line."userId" OR device.status = 'inactive' OR device.route <> line.route
  `);
  return async (devices) => {
    const rows = devices.map((device, place) => ({ ...newDeviceRow(device), place }));
    return changed({ devices: JSON.stringify(rows, (_, value) => storable(value)) });
  };
}

/** Registers all with one statement. */
function registeringNew(sql: Sql): ImportDeps['registerNew'] {
  const insert = sql.all<{ devices: string }, Pick<DeviceRow, 'platform' | 'token'> & { readonly id: number }>(`
    INSERT INTO device (public_id, user_id, platform, route, environment, token_kind, token, keys, name, app_version,
      registered_at)
    SELECT "publicId", "userId", platform, route, environment, "tokenKind", token, keys, name, "appVersion", "wallMs"
    FROM json_to_recordset(CAST(:devices AS JSON)) AS line ("publicId" TEXT, "userId" BIGINT, platform TEXT, route TEXT,
      environment TEXT, "tokenKind" TEXT, token TEXT, keys TEXT, name TEXT, "appVersion" TEXT, "wallMs" BIGINT)
    ON CONFLICT (platform, token) DO NOTHING
    RETURNING id, platform, token
  `);
  return async (devices) => {
    const rows = devices.map(newDeviceRow);
    const added = await insert({ devices: JSON.stringify(rows, (_, value) => storable(value)) });
    const idOf = new Map(added.map(({ id, platform, token }) => [`${platform} ${token}`, id]));
    const ids = new Map<number, number>();
    for (const [place, { platform, token }] of rows.entries()) {
      const id = idOf.get(`${platform} ${token}`);
      if (id === undefined) continue;
      ids.set(place, id);
      idOf.delete(`${platform} ${token}`);
    }
    return ids;
  };
}

function subscribers(sql: Sql): ImportDeps['subscribeAll'] {
  const channelExists = sql.value<{ channelId: number }, 1>(CHANNEL_EXISTS);
  const insert = sql.run<{ channelId: number; deviceIds: readonly number[] }>(`
    INSERT INTO subscription (channel_id, device_id, user_id, route, active, generation)
    SELECT CAST(:channelId AS BIGINT), id, user_id, route, CASE status WHEN 'active' THEN 1 ELSE 0 END, generation
    FROM device WHERE id = ANY (CAST(:deviceIds AS BIGINT[])) ORDER BY id
    ON CONFLICT (device_id, channel_id) DO NOTHING
  `);
  return async (deviceIds, channelId) => {
    if ((await channelExists({ channelId })) === 1) await insert({ channelId, deviceIds });
  };
}

function muting(sql: Sql): ImportDeps['muteAll'] {
  const mute = sql.run<{
    channelId: number;
    deviceIds: readonly number[];
    levels: readonly number[];
    times: readonly number[];
  }>(`
    UPDATE subscription SET min_level = muted.min_level, muted_until = muted.until_ms
    FROM unnest(CAST(:deviceIds AS BIGINT[]), CAST(:levels AS BIGINT[]), CAST(:times AS BIGINT[]))
      AS muted (device_id, min_level, until_ms)
    WHERE subscription.device_id = muted.device_id AND channel_id = CAST(:channelId AS BIGINT)
      AND (subscription.min_level <> muted.min_level OR muted_until <> muted.until_ms)
  `);
  return async (mutes, channelId) => {
    // A step may name a device twice. The last line counts.
    const last = [...new Map(mutes.map((deviceMute) => [deviceMute.deviceId, deviceMute])).values()];
    await mute({
      channelId,
      deviceIds: last.map(({ deviceId }) => deviceId),
      levels: last.map(({ minLevel }) => minLevel),
      times: last.map(({ mutedUntilMs }) => mutedUntilMs),
    });
  };
}
