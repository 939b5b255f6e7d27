import { canonicalEmail } from '../../../contract/names.ts';
import type { Environment, Platform } from '../../../push.ts';
import { toTimestamp } from '../../../timestamp.ts';
import { type Device, isRefusal } from '../../calls.ts';
import { badCursor, invalidField, noDevice } from '../../refusals.ts';
import type { Db, Handlers } from '../../sqlite/transaction.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { pageOf } from '../pages.ts';
import { newDeviceProblem, registrations } from './registration.ts';

export interface DeviceRow {
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

/** Before the first device of a page; `lastUserId` is the last whose devices are listed. */
interface PagePlace {
  readonly userId: number;
  readonly deviceId: number;
  readonly lastUserId: number;
}

/** With the channels of one workspace, or of all where `:workspaceId` is null. */
export const DEVICE_FIELDS = `
  device.public_id, device.platform, device.environment, device.name, device.status, device.inactive_reason,
  device.registered_at,
  (SELECT json_group_array(channel.slug ORDER BY channel.slug) FROM subscription
   JOIN channel ON channel.id = subscription.channel_id
   WHERE subscription.device_id = device.id AND (:workspaceId IS NULL OR channel.workspace_id = :workspaceId)) AS channels
`;

export function devices(db: Db): Handlers<'addDevice' | 'listDevices' | 'removeDevice' | 'publicDeviceIds'> {
  const byPublicId = db.prepare<{ id: string; workspaceId: number | null; userId: number | null }, DeviceRow>(`
    SELECT ${DEVICE_FIELDS} FROM device
    WHERE device.public_id = :id AND (:userId IS NULL OR device.user_id = :userId)
  `);
  /**
   * Where the cursor's member is the first of the page, only later devices of theirs; the next members from their
   * first.
   */
  const page = db.prepare<PagePlace & { workspaceId: number }, OwnedDeviceRow>(`
    SELECT ${DEVICE_FIELDS}, user.email
    FROM member
    JOIN user ON user.id = member.user_id
    JOIN device ON device.user_id = member.user_id
      AND device.id > CASE WHEN member.user_id = :userId THEN :deviceId ELSE 0 END
    WHERE member.workspace_id = :workspaceId AND member.user_id BETWEEN :userId AND :lastUserId
    ORDER BY member.user_id, device.id
  `);
  const position = db.prepare<[string, number], { userId: number; deviceId: number }>(`
    SELECT device.user_id AS userId, device.id AS deviceId FROM device JOIN member ON member.user_id = device.user_id
    WHERE device.public_id = ? AND member.workspace_id = ?
  `);
  const remove = db.prepare<[string]>('DELETE FROM device WHERE public_id = ?');
  const publicId = db.prepare<[number], string>('SELECT public_id FROM device WHERE id = ?').pluck();
  const find = lookups(db);
  const { register } = registrations(db);

  /** Where the page after a device begins, among those of one user or of all; null where the device is none of them. */
  function placeAfter(after: string | undefined, workspace: WorkspaceRow, onlyUserId?: number): PagePlace | null {
    const lastUserId = onlyUserId ?? Number.MAX_SAFE_INTEGER;
    if (after === undefined) return { userId: onlyUserId ?? 0, deviceId: 0, lastUserId };
    const found = position.get(after, workspace.id);
    if (found === undefined || (onlyUserId ?? found.userId) !== found.userId) return null;
    return { ...found, lastUserId };
  }

  return {
    addDevice({ workspace: slug, email, ...device }, { wallMs }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const user = find.member(workspace, email);
      if (isRefusal(user)) return user;
      const problem = newDeviceProblem(device);
      if (problem !== null) return invalidField(problem);
      const channels = find.channelIds(workspace, device.subscribe ?? []);
      if (isRefusal(channels)) return channels;
      const { publicId, created } = register({ userId: user.id, device, channelIds: channels, wallMs });
      const row = byPublicId.get({ id: publicId, workspaceId: workspace.id, userId: user.id });
      return row === undefined ? noDevice(publicId) : { device: shownDevice(row), created };
    },

    listDevices({ workspace: slug, email, limit, after }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const user = email === undefined ? null : find.member(workspace, canonicalEmail(email));
      if (user !== null && isRefusal(user)) return user;
      const place = placeAfter(after, workspace, user?.id);
      if (place === null) return badCursor('after');
      const rows = page.iterate({ workspaceId: workspace.id, ...place });
      const owned = (row: OwnedDeviceRow) => ({ ...shownDevice(row), email: row.email });
      const { entries, hasMore } = pageOf(rows, owned, ({ channels }) => channels.length, limit);
      return { devices: entries, next: hasMore ? (entries.at(-1)?.id ?? null) : null };
    },

    removeDevice({ id, userId = null }) {
      const row = byPublicId.get({ id, workspaceId: null, userId });
      if (row === undefined) return noDevice(id);
      remove.run(id);
      return shownDevice(row);
    },

    publicDeviceIds({ ids }) {
      return Object.fromEntries(ids.flatMap((id) => [[id, publicId.get(id)]]).filter(([, found]) => found));
    },
  };
}

export function shownDevice({ public_id, registered_at, channels, ...fields }: DeviceRow): Device {
  return {
    id: public_id,
    ...fields,
    registered_at: toTimestamp(registered_at),
    channels: JSON.parse(channels) as string[],
  };
}
