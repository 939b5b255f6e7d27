import { appOf, pushServiceOf } from '../../../contract/addresses.ts';
import { canonicalEmail } from '../../../contract/names.ts';
import type { Environment, Platform } from '../../../push.ts';
import { toTimestamp } from '../../../timestamp.ts';
import { type Device, isRefusal } from '../../calls.ts';
import { badCursor, invalidField, noDevice } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { pageOf } from '../pages.ts';
import { IS_REACHED, sessionOf } from '../people/vouchers.ts';
import type { Verbs } from '../verb.ts';
import { newDeviceProblem, registrations } from './registration.ts';

export interface DeviceRow {
  readonly public_id: string;
  readonly platform: Platform;
  readonly environment: Environment | null;
  readonly token: string;
  readonly keys: string | null;
  readonly name: string;
  readonly status: 'active' | 'inactive';
  readonly inactive_reason: string | null;
  readonly registered_at: number;
  /** Slugs with blanks between. */
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
  device.public_id, device.platform, device.environment, device.token, device.keys, device.name, device.status,
  device.inactive_reason, device.registered_at,
  (SELECT coalesce(string_agg(channel.slug, ' ' ORDER BY channel.slug), '') FROM subscription
   JOIN channel ON channel.id = subscription.channel_id
   WHERE subscription.device_id = device.id
     AND (CAST(:workspaceId AS BIGINT) IS NULL OR channel.workspace_id = :workspaceId)) AS channels
`;

export function devices(
  sql: Sql,
  { addresses }: Pick<StoreSettings, 'addresses'>,
): Verbs<'addDevice' | 'listDevices' | 'removeDevice' | 'publicDeviceIds'> {
  const byPublicId = sql.get<
    { id: string; workspaceId: number | null; userId: number | null; session: Buffer },
    DeviceRow
  >(`
    SELECT ${DEVICE_FIELDS} FROM device
    WHERE device.public_id = :id AND (CAST(:userId AS BIGINT) IS NULL OR device.user_id = :userId)
      AND ${IS_REACHED}
  `);
  /**
   * Where the cursor's member is the first of the page, only later devices of theirs; the next members from their
   * first.
   */
  const page = sql.parts<PagePlace & { workspaceId: number }, OwnedDeviceRow>(`
    SELECT ${DEVICE_FIELDS}, person.email
    FROM member
    JOIN person ON person.id = member.user_id
    JOIN device ON device.user_id = member.user_id
      AND device.id > CASE WHEN member.user_id = :userId THEN CAST(:deviceId AS BIGINT) ELSE 0 END
    WHERE member.workspace_id = :workspaceId AND member.user_id BETWEEN :userId AND :lastUserId
    ORDER BY member.user_id, device.id
  `);
  const position = sql.get<{ id: string; workspaceId: number }, { userId: number; deviceId: number }>(`
    SELECT device.user_id AS "userId", device.id AS "deviceId"
    FROM device JOIN member ON member.user_id = device.user_id
    WHERE device.public_id = :id AND member.workspace_id = :workspaceId
  `);
  const remove = sql.run<{ id: string }>('DELETE FROM device WHERE public_id = :id');
  const publicId = sql.value<{ id: number }, string>('SELECT public_id FROM device WHERE id = :id');
  const find = lookups(sql);
  const { register } = registrations(sql);

  /** Where the page after a device begins, among those of one user or of all; null where the device is none of them. */
  async function placeAfter(
    after: string | undefined,
    workspace: WorkspaceRow,
    onlyUserId?: number,
  ): Promise<PagePlace | null> {
    const lastUserId = onlyUserId ?? Number.MAX_SAFE_INTEGER;
    if (after === undefined) return { userId: onlyUserId ?? 0, deviceId: 0, lastUserId };
    const found = await position({ id: after, workspaceId: workspace.id });
    if (found === undefined || (onlyUserId ?? found.userId) !== found.userId) return null;
    return { ...found, lastUserId };
  }

  return {
    async addDevice({ workspace: slug, email, ...device }, { wallMs }, actor) {
      const workspace = await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const user = await find.member(workspace, email);
      if (isRefusal(user)) return user;
      const problem = newDeviceProblem(device, addresses);
      if (problem !== null) return invalidField(problem);
      const channels = await find.channelIds(workspace, device.subscribe ?? []);
      if (isRefusal(channels)) return channels;
      const { publicId, created } = await register({ userId: user.id, device, channelIds: channels, wallMs });
      const row = await byPublicId({
        id: publicId,
        workspaceId: workspace.id,
        userId: user.id,
        session: sessionOf(actor),
      });
      return row === undefined ? noDevice(publicId) : { device: shownDevice(row), created };
    },

    async listDevices({ workspace: slug, email, limit, after }) {
      const workspace = await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const user = email === undefined ? null : await find.member(workspace, canonicalEmail(email));
      if (user !== null && isRefusal(user)) return user;
      const place = await placeAfter(after, workspace, user?.id);
      if (place === null) return badCursor('after');
      const parts = page({ workspaceId: workspace.id, ...place });
      const owned = (row: OwnedDeviceRow) => ({ ...shownDevice(row), email: row.email });
      const { entries, hasMore } = await pageOf(parts, owned, ({ channels }) => channels.length, limit);
      return { devices: entries, next: hasMore ? (entries.at(-1)?.id ?? null) : null };
    },

    async removeDevice({ id, userId = null }, _, actor) {
      const row = await byPublicId({ id, workspaceId: null, userId, session: sessionOf(actor) });
      if (row === undefined) return noDevice(id);
      await remove({ id });
      return shownDevice(row);
    },

    async publicDeviceIds({ ids }) {
      const found: Record<number, string> = {};
      for (const id of ids) {
        const its = await publicId({ id });
        if (its !== undefined) found[id] = its;
      }
      return found;
    },
  };
}

export function shownDevice({ public_id, token, keys, registered_at, channels, ...fields }: DeviceRow): Device {
  return {
    id: public_id,
    ...fields,
    push_service: pushServiceOf(fields.platform, token),
    app: appOf(fields.platform, keys),
    registered_at: toTimestamp(registered_at),
    channels: wordsOf(channels),
  };
}

/** Splits names that are joined by blanks: no slug and no id contains one. */
export function wordsOf(list: string): string[] {
  return list === '' ? [] : list.split(' ');
}
