import { canonicalEmail } from '../contract/names.ts';
import type { Environment, Platform } from '../push.ts';
import { toTimestamp } from '../timestamp.ts';
import { type Device, isRefusal, type Refusal } from './calls.ts';
import type { Db, Handlers } from './handlers.ts';
import { lookups, type WorkspaceRow } from './lookups.ts';
import { badCursor, invalidField, noDevice } from './refusals.ts';
import { newDeviceProblem, registrations } from './registration.ts';

interface DeviceRow {
  readonly public_id: string;
  readonly platform: Platform;
  readonly environment: Environment | null;
  readonly name: string;
  readonly status: 'active' | 'inactive';
  readonly inactive_reason: string | null;
  readonly registered_at: number;
  /** A JSON array of slugs. */
  readonly channels: string;
}

interface OwnedDeviceRow extends DeviceRow {
  readonly email: string;
}

/** With the channels of one workspace, or of all where `:workspaceId` is null. */
const DEVICE_FIELDS = `
  device.public_id, device.platform, device.environment, device.name, device.status, device.inactive_reason,
  device.registered_at,
  (SELECT json_group_array(channel.slug ORDER BY channel.slug) FROM subscription
   JOIN channel ON channel.id = subscription.channel_id
   WHERE subscription.device_id = device.id AND (:workspaceId IS NULL OR channel.workspace_id = :workspaceId)) AS channels
`;

export function devices(db: Db): Handlers<'addDevice' | 'listDevices' | 'pageDevices' | 'removeDevice'> {
  const byPublicId = db.prepare<{ id: string; workspaceId: number | null; userId: number | null }, DeviceRow>(`
    SELECT ${DEVICE_FIELDS} FROM device
    WHERE device.public_id = :id AND (:userId IS NULL OR device.user_id = :userId)
  `);
  const ofWorkspace = db.prepare<{ workspaceId: number }, DeviceRow>(`
    SELECT ${DEVICE_FIELDS} FROM member JOIN device ON device.user_id = member.user_id
    WHERE member.workspace_id = :workspaceId ORDER BY device.id
  `);
  const ofMember = db.prepare<{ workspaceId: number; userId: number }, DeviceRow>(
    `SELECT ${DEVICE_FIELDS} FROM device WHERE device.user_id = :userId ORDER BY device.id`,
  );
  /** Where the cursor's member is the first of the page, only later devices of theirs; the next members from their first. */
  const page = db.prepare<{ workspaceId: number; userId: number; deviceId: number; limit: number }, OwnedDeviceRow>(`
    SELECT ${DEVICE_FIELDS}, user.email
    FROM member
    JOIN user ON user.id = member.user_id
    JOIN device ON device.user_id = member.user_id
      AND device.id > CASE WHEN member.user_id = :userId THEN :deviceId ELSE 0 END
    WHERE member.workspace_id = :workspaceId AND member.user_id >= :userId
    ORDER BY member.user_id, device.id LIMIT :limit
  `);
  const position = db.prepare<[string, number], { userId: number; deviceId: number }>(`
    SELECT device.user_id AS userId, device.id AS deviceId FROM device JOIN member ON member.user_id = device.user_id
    WHERE device.public_id = ? AND member.workspace_id = ?
  `);
  const remove = db.prepare<[string]>('DELETE FROM device WHERE public_id = ?');
  const find = lookups(db);
  const { register } = registrations(db);

  function channelIds(workspace: WorkspaceRow, slugs: readonly string[]): readonly number[] | Refusal {
    const found = slugs.map((slug) => find.channel(workspace, slug));
    return found.find(isRefusal) ?? found.flatMap((channel) => (isRefusal(channel) ? [] : channel.id));
  }

  return {
    addDevice({ workspace: slug, email, wallMs, ...device }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const user = find.member(workspace, email);
      if (isRefusal(user)) return user;
      const problem = newDeviceProblem(device);
      if (problem !== null) return invalidField(problem);
      const channels = channelIds(workspace, device.subscribe ?? []);
      if (isRefusal(channels)) return channels;
      const { publicId, created } = register({ userId: user.id, device, channelIds: channels, wallMs });
      const row = byPublicId.get({ id: publicId, workspaceId: workspace.id, userId: user.id });
      return row === undefined ? noDevice(publicId) : { device: shown(row), created };
    },

    listDevices({ workspace: slug, email }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      if (email === undefined) return ofWorkspace.all({ workspaceId: workspace.id }).map(shown);
      const user = find.member(workspace, canonicalEmail(email));
      if (isRefusal(user)) return user;
      return ofMember.all({ workspaceId: workspace.id, userId: user.id }).map(shown);
    },

    pageDevices({ workspace: slug, limit, after }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const from = after === undefined ? { userId: 0, deviceId: 0 } : position.get(after, workspace.id);
      if (from === undefined) return badCursor('after');
      const rows = page.all({ workspaceId: workspace.id, ...from, limit: limit + 1 });
      const devices = rows.slice(0, limit).map((row) => ({ ...shown(row), email: row.email }));
      return { devices, next: rows.length > limit ? (devices.at(-1)?.id ?? null) : null };
    },

    removeDevice({ id, userId = null }) {
      const row = byPublicId.get({ id, workspaceId: null, userId });
      if (row === undefined) return noDevice(id);
      remove.run(id);
      return shown(row);
    },
  };
}

function shown({ public_id, registered_at, channels, ...fields }: DeviceRow): Device {
  return {
    id: public_id,
    ...fields,
    registered_at: toTimestamp(registered_at),
    channels: JSON.parse(channels) as string[],
  };
}
